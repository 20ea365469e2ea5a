/** Every way in which a run ends: one terminal event, a closed file, and nothing of it left. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: {
    max_concurrent: 12,
    ...fixtureAgents(
      "scripted",
      "exit-0-without-finish",
      "exit-3-with-stderr",
      "grandchild",
      "lingers-after-finish",
      "kills-its-group",
    ),
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const run = async (backend: string): Promise<AgentEvent[]> => {
  const file = await system.settled(system.request({ prompt: "go", backend }));
  expect(file.filter(isTerminal)).toHaveLength(1);
  expect(system.of(file[0]?.agent_id ?? "")).toEqual(file);
  return file;
};
const steps = async (...wanted: Parameters<CortexSystem["steps"]>): Promise<AgentEvent[]> =>
  system.settled(system.steps(...wanted));

test.concurrent("a finish and then an exit with another code than 0 is a success", async () => {
  const file = await steps([{ ev: { event: "finish", result: "fine" } }, { err: "not so fine" }, { exit: 7 }]);
  expect(file.slice(2)).toMatchObject([{ event: "finish", result: "fine" }]);
});

test.concurrent("an exit with 0 without a finish is a crash", async () => {
  expect((await run("exit-0-without-finish")).slice(2)).toMatchObject([
    { event: "text", text: "bye" },
    { event: "error", reason: "crash", error: "exited with code 0 without finish event", exit_code: 0 },
  ]);
});

test.concurrent("stderr with exit 0 is not an error, and goes to cortex's log, never to the bus", async () => {
  const file = await steps([{ err: "only a warning\n" }, { ev: { event: "finish", result: "ok" } }]);
  expect(file.at(-1)).toMatchObject({ event: "finish", result: "ok" });
  await system.until(() => system.log.includes("only a warning\\n"), "it's in the log");
  expect(JSON.stringify(system.of(file[0]?.agent_id ?? "").slice(2))).not.toContain("only a warning");
});

test.concurrent("stderr with another exit is the error's trace, its last 64 KiB", async () => {
  const file = await run("exit-3-with-stderr");
  const [error] = file.slice(2);
  expect(error).toMatchObject({ event: "error", reason: "crash", error: "exited with code 3", exit_code: 3 });
  const trace = String(error?.["trace"]);
  expect(trace.endsWith("noise\nthe reason\n")).toBe(true);
  expect(trace.length).toBe(64 * 1024);
});

test.concurrent("a trace is 64 KiB in any alphabet, and begins with no half of a secret", async () => {
  const secret = "geheim-wert-1234";
  // What is read of stderr, the trace and 8 KiB before it, begins in the middle of the secret.
  const err = secret + "ü".repeat(36_860);
  const file = await steps([{ err }, { exit: 3 }], { env: { MY_WORD: secret } });
  const trace = String(file.at(-1)?.["trace"]);
  expect(Buffer.byteLength(trace)).toBe(64 * 1024);
  expect([...new Set(trace)]).toEqual(["ü"]);
});

test.concurrent("an exit with 0 has no trace, whatever stderr says", async () => {
  const file = await steps([{ err: "noise" }]);
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "crash" });
  expect(file.at(-1)).not.toHaveProperty("trace");
});

test.concurrent("an agent that nobody could understand still has a start and a terminal event", async () => {
  const file = await steps([{ exit: 1 }]);
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "error"]);
});

test.concurrent("the first terminal event counts", async () => {
  const file = await steps([
    { ev: { event: "error", error: "first" } },
    { ev: { event: "finish", result: "second" } },
    { ev: { event: "text", text: "third" } },
  ]);
  expect(file.slice(2)).toMatchObject([{ event: "error", error: "first", reason: "provider" }]);
});

test.concurrent("an error that says terminal: false doesn't end the run", async () => {
  const file = await steps([
    { ev: { event: "error", error: "a hiccup", terminal: false } },
    { ev: { event: "finish", result: "fine" } },
  ]);
  expect(file.slice(2)).toMatchObject([
    { event: "error", error: "a hiccup" },
    { event: "finish", result: "fine" },
  ]);
});

test.concurrent("an agent's own error keeps its reason, and gets one when it gives none that is known", async () => {
  const known = await steps([{ ev: { event: "error", error: "no key", reason: "config", hint: "set it" } }]);
  expect(known.at(-1)).toMatchObject({ error: "no key", reason: "config", hint: "set it" });
  const unknown = await steps([{ ev: { event: "error", error: { code: 5 }, reason: "moon" } }]);
  expect(unknown.at(-1)).toMatchObject({ error: '{"code":5}', reason: "provider" });
});

test.concurrent("a finish without a result has an empty one", async () => {
  expect((await steps([{ ev: { event: "finish" } }])).at(-1)).toMatchObject({ event: "finish", result: "" });
});

test.concurrent("an agent that kills its own group ends in a crash, its last words in the file", async () => {
  expect((await run("kills-its-group")).slice(2)).toMatchObject([
    { event: "text", text: "last words" },
    { event: "error", reason: "crash", exit_code: 137 },
  ]);
});

test.concurrent("a child that holds the pipe after the exit holds neither the run nor its place for long", async () => {
  const file = await run("grandchild");
  expect(file.slice(2)).toMatchObject([{ event: "finish", result: "I leave a child" }]);
});

test.concurrent("a process that stays after its finish has 10 s to leave, and the run is a success", async () => {
  const file = await run("lingers-after-finish");
  const said = Date.now() - (file.at(-1)?.ts ?? 0);
  expect(file.slice(2)).toMatchObject([{ event: "finish", result: "I stay" }]);
  expect(said).toBeGreaterThan(9_500);
});

test("nothing is left when all have ended: no process, no file in progress, no folder", async () => {
  const inUse = () => system.processes().filter(({ command }) => command.includes("/fixtures/agents/"));
  await system.until(() => inUse().length === 0, "no process is left");
  expect(readdirSync(join(system.journal, "runs"), { recursive: true }).join()).not.toContain("_active");
  expect(readdirSync(join(system.journal, ".run/runs"))).toEqual(["heartbeat", "reserve"]);
});

/** Continuing: a run goes on from the conversation of another, and of every run behind that. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { endedFile } from "../../../journal/runs/run-files.ts";
import type { Message, RunConfig } from "../../../protocol/runs/run-config.ts";
import { CortexSystem, fixtureAgent } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: {
    default_backend: "scripted",
    backends: { scripted: fixtureAgent("scripted"), other: fixtureAgent("scripted") },
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const finish = (result: string) => ({ ev: { event: "finish", result } });
const historyOf = async (id: string): Promise<Message[]> => {
  const file = await system.settled(id);
  const config: RunConfig = JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"]));
  return config.history ?? [];
};
const goOn = (from: string, fields: Record<string, unknown> = {}) =>
  historyOf(system.steps([{ config: true }], { continue_from: from, ...fields }));

test.concurrent("a run continues from another: what was asked, said, called and answered, oldest first", async () => {
  const call = { tool: "search", args: { q: "seeds" }, call_id: "c1" };
  const id = system.steps([
    { ev: { event: "text", text: "Let me look." } },
    { ev: { event: "tool_start", ...call } },
    { ev: { event: "tool_end", ...call, result: "found", is_error: false } },
    finish("Here it is."),
  ]);
  await system.settled(id);
  const prompt = String(system.file(id)[0]?.["prompt"]);
  expect(await goOn(id)).toMatchObject([
    { role: "user", text: prompt },
    { role: "assistant", text: "Let me look.", calls: [call] },
    { role: "tool", call_id: "c1", result: "found" },
    { role: "assistant", text: "Here it is." },
  ]);
});

test.concurrent("the whole chain behind it comes along, also across backends", async () => {
  const first = system.request({ prompt: "one" });
  await system.settled(first);
  const second = system.request({ prompt: "two", continue_from: first, backend: "other" });
  await system.settled(second);
  const third = system.request({ prompt: "three", continue_from: second });
  await system.settled(third);
  const said = (await goOn(third)).map(({ role, text }) => `${role}: ${text}`);
  expect(said).toEqual(["one", "two", "three"].flatMap((word) => [`user: ${word}`, `assistant: echo: ${word}`]));
});

test.concurrent("a call that never ended has a result all the same", async () => {
  const id = system.steps([{ ev: { event: "tool_start", tool: "slow", args: {}, call_id: "c9" } }, { exit: 1 }]);
  await system.settled(id);
  const answers = (await goOn(id)).filter(({ role }) => role === "tool");
  expect(answers).toMatchObject([{ call_id: "c9", result: { cancelled: true, reason: "process restarted" } }]);
});

test.concurrent("the source's file gets one line that names who continues, and the bus hears it", async () => {
  const source = system.request({ prompt: "source" });
  await system.settled(source);
  const before = system.bytes(source);
  const later = system.request({ prompt: "later", continue_from: source });
  await system.settled(later);
  const file = system.file(source);
  expect(file.at(-1)).toMatchObject({ event: "continue", to: later, agent_id: source, seq: 4 });
  expect(system.bytes(source).startsWith(before)).toBe(true);
  expect(file.filter(({ event }) => event === "continue")).toHaveLength(1);
  await system.heard(source, "continue");
  expect(system.of(source)).toEqual(file);
});

test.concurrent("two runs may continue from one, and each is named", async () => {
  const source = system.request({ prompt: "fork" });
  await system.settled(source);
  const later = [1, 2].map((n) => system.request({ prompt: `branch ${n}`, continue_from: source }));
  for (const id of later) await system.settled(id);
  const named = system.file(source).filter(({ event }) => event === "continue");
  expect(named.map(({ to }) => String(to)).toSorted((a, b) => Number(a) - Number(b))).toEqual(later);
  expect(named.map(({ seq }) => seq)).toEqual([4, 5]);
});

test.concurrent("a torn last line of the source is cut, and written again", async () => {
  const source = system.request({ prompt: "torn" });
  await system.settled(source);
  appendFileSync(endedFile(system.journal, source), '{"event":"contin');
  await system.settled(system.request({ prompt: "x", continue_from: source }));
  const lines = system.bytes(source).split("\n");
  expect(JSON.parse(lines[3] ?? "")).toMatchObject({ event: "continue", seq: 4 });
});

test.concurrent("to continue from a run that waits is an error that says so", async () => {
  await using own = await CortexSystem.start({
    settings: { max_concurrent: 1, default_backend: "scripted", backends: { scripted: fixtureAgent("scripted") } },
  });
  const go = join(own.journal, "go");
  const running = own.steps([{ ev: { event: "text", text: "here" } }, { await: go }, finish("done")]);
  await own.heard(running, "text");
  const [waiting, ofWaiting] = [own.nextId(), own.nextId()];
  await own.answerTo({ ts: Number(waiting), prompt: "waits", priority: 90 });
  await own.answerTo({ ts: Number(ofWaiting), prompt: "x", continue_from: waiting });
  writeFileSync(go, "");
  expect((await own.settled(ofWaiting)).at(-1)).toMatchObject({
    event: "error",
    reason: "config",
    error: `cannot continue from ${waiting}: still running`,
  });
  expect((await own.settled(waiting)).at(-1)).toMatchObject({ event: "finish" });
});

test.concurrent("to continue from a run that is still running is an error", async () => {
  const go = join(system.journal, "go-running");
  const running = system.steps([{ ev: { event: "text", text: "here" } }, { await: go }, finish("done")]);
  await system.heard(running, "text");
  const file = await system.settled(system.request({ prompt: "x", continue_from: running }));
  expect(file.at(-1)).toMatchObject({ reason: "config", error: `cannot continue from ${running}: still running` });
  writeFileSync(go, "");
  expect((await system.settled(running)).some(({ event }) => event === "continue")).toBe(false);
});

test.concurrent("a chain that leads to itself is refused rather than followed for ever", async () => {
  mkdirSync(join(system.journal, "runs/20250110"), { recursive: true });
  const [a, b] = ["1736500000001", "1736500000002"];
  for (const [id, from] of [
    [a, b],
    [b, a],
  ] as const) {
    const line = { event: "request", ts: Number(id), agent_id: id, seq: 1, prompt: "x", continue_from: from };
    writeFileSync(join(system.journal, `runs/20250110/${id}.jsonl`), `${JSON.stringify(line)}\n`);
  }
  const file = await system.settled(system.request({ prompt: "x", continue_from: a }));
  expect(file.at(-1)).toMatchObject({ reason: "config", error: expect.stringContaining("leads to itself") });
});

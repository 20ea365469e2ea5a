/** `cortex runs tail --from`: a run as the bus has it, on its own host and on others. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { eventStream } from "../../../bus/jetstream/streams.ts";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { runCortex } from "../run-command.ts";

const bin = fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url));
const finish = { ev: { event: "finish", result: "done" } };

let system: CortexSystem;
/** Another host's: it has no file of any run. */
let elsewhere: string;
let env: { NATS_URL: string };
beforeAll(async () => {
  system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
  elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  const access = readBusAccess(system.journal);
  const url = new URL(access?.url ?? "");
  [url.username, url.password] = ["client", access?.passwords["client"] ?? ""];
  env = { NATS_URL: url.href };
});
afterAll(async () => {
  rmSync(elsewhere, { recursive: true });
  await system[Symbol.asyncDispose]();
});

const seqs = (text: string) =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as AgentEvent).seq]));

/** A run that is at work, and goes on until `end`. */
async function going(): Promise<{ id: string; end: () => void }> {
  const gate = join(system.journal, `gate-${Math.random()}`);
  const say = (times: number) => ({ ev: { event: "text", text: "x".repeat(1000) }, times });
  const id = system.steps([say(20), { await: gate }, say(300), finish]);
  await system.until(() => system.file(id).length > 20, "it says something");
  return { id, end: () => writeFileSync(gate, "") };
}

function tail(journal: string, ...args: string[]): ChildProcess {
  const child = { PATH: process.env["PATH"], HOME: journal, JOURNAL_PATH: journal, ...env };
  return spawn(process.execPath, [bin, "runs", "tail", ...args], { env: child, stdio: ["ignore", "pipe", "inherit"] });
}

test("a run in progress is followed from any line on, here and from another host, as its file has it", async () => {
  const { id, end } = await going();
  const tails = [tail(system.journal, id, "--from", "5", "--json"), tail(elsewhere, id, "--from", "0", "--json")];
  const heard = tails.map(async (child) => {
    let text = "";
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
      if (text.includes('"seq":20,')) child.emit("twenty");
    });
    const twenty = once(child, "twenty");
    const [code] = await Promise.all([once(child, "close"), twenty]);
    return { text, code: code[0] as number };
  });
  await Promise.all(tails.map((child) => once(child, "twenty")));
  end();
  const [here, there] = await Promise.all(heard);
  await system.closed(id);
  const lines = system.bytes(id);
  expect(there).toEqual({ text: lines, code: 0 });
  expect(here).toEqual({ text: lines.split("\n").slice(4).join("\n"), code: 0 });
  // For people too, and after its end.
  const shown = await runCortex(elsewhere, ["runs", "tail", id, "--from", "320"], env);
  expect(shown.stdout.split("\n")).toHaveLength(system.file(id).length - 319);
});

test("a reader that stops reading misses nothing, and holds nobody up", async () => {
  const { id, end } = await going();
  const slow = tail(elsewhere, id, "--from", "0", "--json");
  let text = "";
  await new Promise<void>((resolve) => slow.stdout?.once("data", (data: Buffer) => resolve(void (text += data))));
  slow.stdout?.pause();
  end();
  await system.settled(id);
  slow.stdout?.on("data", (data: Buffer) => void (text += data.toString()));
  slow.stdout?.resume();
  await once(slow, "close");
  expect(text).toBe(system.bytes(id));
});

test("lines that the bus no longer has come from the file at home, and are reported missing elsewhere", async () => {
  const id = system.steps([{ ev: { event: "text", text: "x" }, times: 9 }, finish]);
  await system.settled(id);
  const all = system.file(id).map(({ seq }) => seq);
  const access = readBusAccess(system.journal);
  const password = access?.passwords["cortex"];
  await using bus = await openBus({ url: access?.url ?? "", user: "cortex", password }, "cortex", patienceMs);
  const manager = await bus.manager();
  const filter = `cortex.event.${id}.>`;
  const first = await manager.direct.getMessage(eventStream, { seq: 1, next_by_subj: filter });
  await manager.streams.purge(eventStream, { filter, seq: (first?.seq ?? 0) + 1 });
  const there = await runCortex(elsewhere, ["runs", "tail", id, "--from", "0", "--json"], env);
  expect([there.code, seqs(there.stdout)]).toEqual([0, all.slice(1)]);
  expect(there.stderr).toContain(`the bus no longer has line 1 of run ${id}`);
  const here = await runCortex(system.journal, ["runs", "tail", id, "--from", "0", "--json"], env);
  expect([here.code, seqs(here.stdout), here.stderr]).toEqual([0, all, ""]);
  await manager.streams.purge(eventStream, { filter });
  const gone = await runCortex(elsewhere, ["runs", "tail", id, "--from", "0"], env);
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining(`no run ${id}`)]);
  const file = await runCortex(system.journal, ["runs", "tail", id, "--from", "3", "--json"], env);
  expect(seqs(file.stdout)).toEqual(all.slice(2));
});

test("runs tail says what is wrong without a bus, or a number", async () => {
  const none = await runCortex(elsewhere, ["runs", "tail", "1736380800000", "--from", "0"]);
  expect(none.code).toBe(69);
  const wrong = await runCortex(elsewhere, ["runs", "tail", "1736380800000", "--from", "-1"], env);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--from")]);
});

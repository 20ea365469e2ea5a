/** The file of a run is readable, whatever its agent prints, and the same on the bus. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listRuns } from "../../../journal/runs/list-runs.ts";
import { type AgentEvent, cortexOwnEvents, isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: fixtureAgents(
    "scripted",
    "half-line",
    "clock-ahead",
    "bad-utf8",
    "long-line",
    "forged-request",
    "flood-after-finish",
    "late-stderr",
    "oversized",
  ),
});
afterAll(() => system[Symbol.asyncDispose]());

/** The file of a run that was left alone: numbered from 1, in the order of its times, one terminal event, and on the bus in the same order. */
const runOf = async (id: string): Promise<AgentEvent[]> => {
  const file = await system.settled(id);
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(file.map(({ ts }) => ts)).toEqual(file.map(({ ts }) => ts).toSorted((a, b) => a - b));
  expect(file.every(({ agent_id }) => agent_id === id)).toBe(true);
  expect(file.filter(isTerminal)).toHaveLength(1);
  const named = (events: AgentEvent[]) => events.map(({ seq, event }) => [seq, event]);
  expect(named(system.of(id))).toEqual(named(file));
  return file;
};
const run = (backend: string) => runOf(system.request({ prompt: "go", backend }));
const said = (raw: string) => runOf(system.steps([{ raw }, { ev: { event: "finish", result: "after it" } }]));
const names = (events: AgentEvent[]) => events.map(({ event }) => event);

test.concurrent("a last line without LF counts", async () => {
  expect((await run("half-line")).slice(2)).toMatchObject([
    { event: "text", text: "whole" },
    { event: "finish", result: "half" },
  ]);
});

test.concurrent("an agent whose clock runs ahead fails at once, and its run hasn't ended before it started", async () => {
  const asked = Date.now();
  const id = system.request({ prompt: "go", backend: "clock-ahead" });
  const [, start, error] = await runOf(id);
  expect([start?.event, error?.event]).toEqual(["start", "error"]);
  expect(start?.ts).toBeGreaterThanOrEqual(asked + 30_000);
  expect(error?.ts).toBeGreaterThanOrEqual(start?.ts ?? Infinity);
  const summary = (await listRuns(system.journal, 50)).find(({ agent_id }) => agent_id === id);
  expect(Date.parse(summary?.ended ?? "")).toBeGreaterThanOrEqual(Date.parse(summary?.started ?? ""));
});

test.concurrent("bytes that are no UTF-8 are replaced, and the finish behind them is heard", async () => {
  const file = await run("bad-utf8");
  expect(file.slice(2)).toMatchObject([
    { event: "text", text: "a\ufffd\ufffdb" },
    { event: "info", message: "\ufffd\ufffd" },
    { event: "finish", result: "still here" },
  ]);
});

test.concurrent("a line of 20 MB becomes an info with its head, and the run goes on", async () => {
  const file = await run("long-line");
  expect(file.slice(2)).toMatchObject([{ event: "info", truncated: true }, { event: "finish" }]);
  expect(String(file[2]?.["message"])).toMatch(/^\{"event":"text","text":"xxx/);
  expect(String(file[2]?.["message"]).length).toBeLessThan(10_000);
});

test.concurrent("a request, or another event of cortex's own, that an agent prints is no more than an info", async () => {
  const file = await run("forged-request");
  expect(names(file)).toEqual(["request", "start", ...Array.from(cortexOwnEvents, () => "info"), "finish"]);
  expect(JSON.parse(String(file[2]?.["message"]))).toMatchObject({ event: "request", prompt: "start me" });
  expect(system.of("1700000000000")).toEqual([]);
  expect(system.file("1700000000000")).toEqual([]);
});

test.concurrent("a line that isn't an event becomes an info, and the finish behind it counts", async () => {
  const lines = [
    "42",
    "[1]",
    "null",
    '"text"',
    "hello",
    "{",
    "{}",
    '{"event":5}',
    '{"event":"Odd.Name"}',
    '{"event":""}',
  ];
  const file = await said(`${lines.join("\n")}\n`);
  expect(file.slice(2).map(({ message }) => message)).toEqual([...lines, undefined]);
  expect(names(file)).toEqual(["request", "start", ...lines.map(() => "info"), "finish"]);
});

test.concurrent("blank lines are skipped", async () => {
  expect(names(await said("\n \n\t\r\n"))).toEqual(["request", "start", "finish"]);
});

test.concurrent("lines end at LF alone: U+2028, CR and form feed are part of a text", async () => {
  const text = "a\u2028b\u2029c\u0085d";
  const file = await said(`{"event":"text","text":"${text}"}\r\n`);
  expect(file[2]).toMatchObject({ event: "text", text });
});

test.concurrent("an event of any other name passes through, with its fields", async () => {
  const file = await said('{"event":"weather_report","deep":{"er":[1,null]}}\n');
  expect(file[2]).toMatchObject({ event: "weather_report", deep: { er: [1, null] } });
});

test.concurrent("a foreign agent_id and seq are overwritten; a sane ts is kept, another isn't", async () => {
  const now = Date.now();
  // Behind all that comes before it, also where the run waits for its place.
  const sane = now + 50_000;
  const forged = { event: "text", agent_id: "1700000000000", seq: 99 };
  const file = await said(
    [sane, now - 86_400_000, now + 86_400_000, "soon", 1.5]
      .map((ts) => `${JSON.stringify({ ...forged, ts })}\n`)
      .join(""),
  );
  const [kept, ...others] = file.filter(({ event }) => event === "text").map(({ ts }) => ts);
  expect(kept).toBe(sane);
  for (const ts of others) expect(ts).toBe(sane);
});

test.concurrent("a run has its start first: the agent's own, completed, or one of cortex's", async () => {
  const own = await said('{"event":"start","model":"m-1","attempt":7}\n');
  expect(own[1]).toMatchObject({ event: "start", persona: "default", backend: "scripted", model: "m-1", attempt: 1 });
  const none = await said('{"event":"text","text":"first"}\n');
  expect(names(none)).toEqual(["request", "start", "text", "finish"]);
  expect(none[1]).toMatchObject({ persona: "default", backend: "scripted", prompt: expect.any(String), attempt: 1 });
});

test.concurrent("nothing counts after the terminal event, and a chatty agent is read to its end", async () => {
  const file = await run("flood-after-finish");
  expect(names(file)).toEqual(["request", "start", "finish"]);
  expect(file[2]).toMatchObject({ result: "first" });
});

test.concurrent("output after the exit changes nothing and makes no file", async () => {
  const id = system.request({ prompt: "go", backend: "late-stderr" });
  expect(names(await runOf(id))).toEqual(["request", "start", "finish"]);
  await system.until(() => system.log.includes("late"), "stderr is in cortex's log");
  expect(JSON.stringify(system.of(id))).not.toContain("late\\n");
  expect(
    readdirSync(join(system.journal, "runs"), { recursive: true }).filter((name) => String(name).includes(id)),
  ).toHaveLength(1);
});

test.concurrent("text_delta is on the bus alone, and only for who asked; pulse is nowhere", async () => {
  const deltas = [
    { ev: { event: "text_delta", text: "Hel", agent_id: "1700000000000" } },
    { ev: { event: "pulse" } },
    { ev: { event: "text_delta", text: "lo" } },
    { ev: { event: "finish", result: "Hello" } },
  ];
  const silent = system.steps(deltas);
  const streamed = system.steps(deltas, { stream: true });
  expect(names(await system.settled(silent))).toEqual(["request", "start", "finish"]);
  expect(names(system.of(silent))).toEqual(["request", "start", "finish"]);
  expect(names(await system.settled(streamed))).toEqual(["request", "start", "finish"]);
  const heard = system.of(streamed).filter(({ event }) => event === "text_delta");
  // An end that may begin a secret comes with what follows: the run's token may begin with an "l".
  expect(heard.map(({ text }) => text).join("")).toBe("Hello");
  expect(heard.length).toBeGreaterThan(1);
  expect(names(system.events)).not.toContain("pulse");
});

test.concurrent("an event that the bus won't take is whole in the file, and cut on the bus", async () => {
  const id = system.request({ prompt: "go", backend: "oversized", save: "long.md", day: "20250101" });
  const file = await runOf(id);
  expect(file.slice(2)).toMatchObject([
    { event: "tool_end", result: { text: "é".repeat(2_500_000) } },
    { event: "finish", result: "r".repeat(2_000_000) },
    { event: "saved" },
  ]);
  const [, , tool, finish] = system.of(id);
  expect(tool).toMatchObject({ event: "tool_end", seq: 3, call_id: "c", truncated: true });
  expect(tool?.["result"]).toEqual({ text: expect.stringMatching(/^é+…$/) });
  expect(finish).toMatchObject({ event: "finish", seq: 4, truncated: true });
  expect(readFileSync(join(system.journal, "20250101/long.md"), "utf8").length).toBe(2_000_001);
});

test.concurrent("a delta that the bus won't take is cut, and the run goes on", async () => {
  const id = system.request({ prompt: "go", backend: "oversized", stream: true });
  expect(names(await system.settled(id))).toEqual(["request", "start", "tool_end", "finish"]);
  const delta = system.of(id).find(({ event }) => event === "text_delta");
  expect(delta).toMatchObject({ text: expect.stringMatching(/^d+…$/), truncated: true });
});

test.concurrent("a result that is too long to be a request isn't handed on, and an info event says so", async () => {
  const id = system.request({ prompt: "go", backend: "oversized", handoff: { persona: "reviewer" } });
  const file = await runOf(id);
  expect(names(file)).toEqual(["request", "start", "tool_end", "info", "finish"]);
  expect(file[3]?.["message"]).toMatch(/^no handoff: .*bytes/);
});

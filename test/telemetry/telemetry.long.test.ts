/** The program `telemetry` with a real bus, real runs, and a receiver that holds each body against the official schema. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReadSpan } from "../support/otlp/read-otlp.ts";
import { type AnswerRule, takes } from "../support/otlp/otlp-receiver.ts";
import { rootOf, spanIdsIn, TelemetrySystem } from "./telemetry-system.ts";

const idsOf = (spans: readonly ReadSpan[]) => spans.map(({ spanId }) => spanId);
const unique = (values: readonly string[]) => [...new Set(values)];

/** Each span that was taken stands in one body, however often that came. */
function expectOnce({ receiver }: TelemetrySystem): void {
  const ids = spanIdsIn(receiver);
  expect(ids).toEqual(unique(ids));
}

/** Takes nothing, and says nothing. */
const neverAnswers: AnswerRule = () => false;

/** Takes what comes, and leaves before it has said so. */
const takesAndLeaves: AnswerRule = (response) => {
  response.destroy();
  return true;
};

test("runs become spans and metrics by the official schema, without a word of what was said", async () => {
  const needles = ["needle-of-the-prompt", "needle-of-the-arguments", "needle-of-the-result", "needle-of-the-answer"];
  await using telemetry = await TelemetrySystem.start();
  const { system, receiver } = telemetry;
  const scripted = system.steps([
    { ev: { event: "start", model: "m-1", note: needles[0] } },
    {
      ev: { event: "usage", model: "m-1", input_tokens: 812, output_tokens: 64, cost_usd: 0.25, finish_reason: "stop" },
    },
    { ev: { event: "tool_start", tool: "read", call_id: "c1", args: { path: needles[1] } } },
    { ev: { event: "tool_end", tool: "read", call_id: "c1", args: { path: needles[1] }, result: needles[2] } },
    { ev: { event: "text", text: needles[3] } },
    { ev: { event: "finish", result: needles[3] } },
  ]);
  const [offline = ""] = telemetry.ask("needle-of-the-prompt: what is due?");
  const failed = system.request({ prompt: "needle-of-the-prompt", backend: "no-such-backend" });
  const spans = await telemetry.spansOf([scripted, offline, failed]);
  expect(receiver.problems).toEqual([]);
  expect(rootOf(spans, offline)).toMatchObject({ name: "invoke_agent default", kind: 1 });
  expect(rootOf(spans, failed)).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "config" } });
  const { traceId, spanId } = rootOf(spans, scripted) ?? {};
  const children = spans.filter((span) => span.parentSpanId === spanId);
  expect(children.map(({ name, kind }) => [name, kind])).toEqual([
    ["chat m-1", 3],
    ["execute_tool read", 1],
  ]);
  expect(children.map((span) => span.traceId)).toEqual([traceId, traceId]);
  // The totals of a batch are sent behind its spans.
  const totals = () => receiver.points.filter(({ metric }) => metric === "gen_ai.invoke_agent.duration");
  await telemetry.until(() => totals().reduce((sum, { count }) => sum + count, 0) === 3, "the totals");
  expect(receiver.points).toContainEqual(
    expect.objectContaining({
      metric: "cortex.cost_usd",
      sum: 0.25,
      attributes: expect.objectContaining({ "gen_ai.request.model": "m-1" }),
    }),
  );
  const heard = receiver.heard.map(({ text }) => text).join("\n");
  expect(receiver.problems).toEqual([]);
  for (const needle of needles) {
    expect(heard).not.toContain(needle);
    expect(telemetry.keptText).not.toContain(needle);
    expect(telemetry.log).not.toContain(needle);
  }
});

test("what was said is sent where the settings say so, and the headers of the settings with each request", async () => {
  const headers = { Authorization: "Bearer secret-of-the-receiver" };
  await using telemetry = await TelemetrySystem.start(takes, { content: true, headers });
  const { receiver } = telemetry;
  const ids = telemetry.ask("needle-of-the-prompt: what is due?");
  const spans = await telemetry.spansOf(ids);
  expect(rootOf(spans, ids[0] ?? "")?.attributes["gen_ai.input.messages"]).toContain("needle-of-the-prompt");
  expect(receiver.problems).toEqual([]);
  for (const heard of receiver.heard) expect(heard.headers.authorization).toBe(headers.Authorization);
  expect(telemetry.log).not.toContain("secret-of-the-receiver");
});

test("a run that was handed on, and one that continues, link to where they come from", async () => {
  await using telemetry = await TelemetrySystem.start();
  const { system } = telemetry;
  const first = system.request({
    prompt: "first",
    disable_mcp: true,
    handoff: { prompt: "second", disable_mcp: true },
  });
  await system.ended(first);
  const child = String(system.file(first).find(({ event }) => event === "handoff")?.["to"]);
  const later = system.request({ prompt: "third", disable_mcp: true, continue_from: first });
  const spans = await telemetry.spansOf([first, child, later]);
  const { traceId, spanId } = rootOf(spans, first) ?? {};
  expect(rootOf(spans, first)?.links).toEqual([]);
  expect(rootOf(spans, child)?.links).toEqual([{ traceId, spanId, attributes: { "cortex.link.kind": "handoff" } }]);
  expect(rootOf(spans, later)?.links).toEqual([
    { traceId, spanId, attributes: { "cortex.link.kind": "continuation" } },
  ]);
});

test("a program that is killed while a batch isn't answered sends the same bytes again, and each span once", async () => {
  await using telemetry = await TelemetrySystem.start(neverAnswers);
  const { receiver } = telemetry;
  const ids = telemetry.ask("one", "two", "three", "four");
  await telemetry.until(() => receiver.heard.length > 0, "a batch is under way");
  const [held] = receiver.heard;
  for (let kill = 0; kill < 3; kill++) {
    const before = receiver.heard.length;
    await telemetry.stopProgram("SIGKILL");
    await telemetry.startProgram();
    await telemetry.until(() => receiver.heard.length > before, "it is sent again");
  }
  for (const { text } of receiver.heard) expect(text).toBe(held?.text);
  await telemetry.stopProgram("SIGKILL");
  receiver.rule = takes;
  await telemetry.startProgram();
  await telemetry.spansOf([...ids, ...telemetry.ask("five")]);
  expectOnce(telemetry);
  expect(receiver.taken[0]?.text).toBe(held?.text);
  expect(receiver.problems).toEqual([]);
});

test("a batch whose answer is lost comes once more, byte for byte, and counts nothing twice", async () => {
  await using telemetry = await TelemetrySystem.start(takesAndLeaves);
  const { receiver } = telemetry;
  const ids = telemetry.ask("one", "two");
  await telemetry.until(() => receiver.taken.length > 0, "a batch is taken");
  receiver.rule = takes;
  await telemetry.spansOf(ids);
  const after = await telemetry.spansOf(telemetry.ask("three"));
  expect(after.length).toBeGreaterThan(0);
  const [lost] = receiver.taken;
  const traces = receiver.taken.filter(({ path }) => path === "/v1/traces").map(({ text }) => text);
  expect(traces.filter((text) => text === lost?.text).length).toBeGreaterThan(1);
  // What else came, came once: of all spans only those of that batch are there twice, each with its id.
  const others = receiver.spans.filter(({ spanId }) => !lost?.text.includes(spanId));
  expect(idsOf(others)).toEqual(unique(idsOf(others)));
  const runs = () =>
    receiver.points
      .filter(({ metric }) => metric === "gen_ai.invoke_agent.duration")
      .reduce((sum, { count }) => sum + count, 0);
  await telemetry.until(() => runs() >= 3, "the totals");
  expect(runs()).toBe(3);
});

test("a receiver that is away, and one that asks to come back, get everything once when they take it", async () => {
  const closes: AnswerRule = (response) => {
    response.destroy();
    return false;
  };
  const isBusy: AnswerRule = (response) => {
    response.writeHead(503, { "retry-after": "0" }).end();
    return false;
  };
  await using telemetry = await TelemetrySystem.start(closes);
  const { receiver } = telemetry;
  const ids = telemetry.ask("one", "two", "three");
  await telemetry.until(() => receiver.heard.length > 0, "a try");
  receiver.rule = isBusy;
  const before = receiver.heard.length;
  await telemetry.until(() => receiver.heard.length > before + 2, "it comes back");
  receiver.rule = takes;
  await telemetry.spansOf(ids);
  expectOnce(telemetry);
  expect(telemetry.log).toContain("the receiver doesn't take what is sent");
});

test("an answer that breaks off behind its status counts: what was taken isn't sent again", async () => {
  const half: AnswerRule = (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"partial', () => response.destroy());
    return true;
  };
  await using telemetry = await TelemetrySystem.start(half);
  await telemetry.spansOf(telemetry.ask("one"));
  await telemetry.spansOf(telemetry.ask("two"));
  expectOnce(telemetry);
  expect(telemetry.log).toContain("its answer broke off");
});

test("what a receiver refuses is dropped and said, and what follows is sent", async () => {
  const refuses: AnswerRule = (response) => {
    response.writeHead(400).end("no room for these");
    return false;
  };
  await using telemetry = await TelemetrySystem.start(refuses);
  const { receiver } = telemetry;
  telemetry.ask("one");
  await telemetry.until(() => telemetry.log.includes("no room for these"), "it is said");
  receiver.rule = takes;
  const spans = await telemetry.spansOf(telemetry.ask("two"));
  expect(spans.length).toBeGreaterThan(0);
});

test("a receiver that never answers holds no run up", async () => {
  await using telemetry = await TelemetrySystem.start(neverAnswers);
  const { system, receiver } = telemetry;
  const [first = ""] = telemetry.ask("one");
  await telemetry.until(() => receiver.heard.length > 0, "a batch is under way");
  const ids = [first, ...telemetry.ask(...Array.from({ length: 10 }, (_, index) => `run ${index}`))];
  for (const id of ids) expect((await system.ended(id)).at(-1)).toMatchObject({ event: "finish" });
  // All the while the first batch was waited for.
  expect(unique(receiver.heard.map(({ text }) => text))).toHaveLength(1);
  await telemetry.stopProgram("SIGKILL");
});

test("a program that begins late, or was away, tells of what happened meanwhile", async () => {
  await using telemetry = await TelemetrySystem.start();
  const { system } = telemetry;
  await telemetry.stopProgram("SIGTERM");
  rmSync(join(system.journal, ".state/telemetry.json"), { force: true });
  const before = telemetry.ask("one", "two");
  for (const id of before) await system.ended(id);
  await telemetry.startProgram();
  await telemetry.spansOf(before);
  await telemetry.stopProgram("SIGTERM");
  const meanwhile = telemetry.ask("three");
  for (const id of meanwhile) await system.ended(id);
  await telemetry.startProgram();
  const ids = [...before, ...meanwhile];
  await telemetry.spansOf(ids);
  expectOnce(telemetry);
});

test("a run that is at work while the program is killed has one span, from its beginning to its end", async () => {
  await using telemetry = await TelemetrySystem.start();
  const { system, receiver } = telemetry;
  const gate = join(system.journal, "go");
  const id = system.steps([
    { ev: { event: "start", model: "m-1" } },
    { ev: { event: "tool_start", tool: "slow", call_id: "c1" } },
    { await: gate },
    { ev: { event: "tool_end", tool: "slow", call_id: "c1", result: "done" } },
    { ev: { event: "finish", result: "done" } },
  ]);
  await system.until(() => system.file(id).some(({ event }) => event === "tool_start"), "it is at work");
  await telemetry.spansOf(telemetry.ask("another"));
  await telemetry.stopProgram("SIGKILL");
  await telemetry.startProgram();
  writeFileSync(gate, "");
  const spans = await telemetry.spansOf([id]);
  expect(spans.map(({ name }) => name)).toEqual(["execute_tool slow", "invoke_agent default"]);
  const started = system.file(id).find(({ event }) => event === "start")?.ts;
  expect(rootOf(spans, id)?.startTimeUnixNano).toBe(`${started}000000`);
  expect(receiver.problems).toEqual([]);
});

test("a bus that goes away and comes back loses no span", async () => {
  await using telemetry = await TelemetrySystem.start();
  const { system } = telemetry;
  const before = telemetry.ask("one", "two");
  await telemetry.spansOf(before);
  await system.stopBus();
  await system.startBus();
  const after = telemetry.ask("three");
  await telemetry.spansOf([...before, ...after]);
  expectOnce(telemetry);
});

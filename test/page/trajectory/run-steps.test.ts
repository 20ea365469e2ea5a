import { expect, test } from "vitest";
import { RunSteps } from "../../../page/trajectory/run-steps.ts";
import type { RunEvent } from "../../../page/trajectory/step.ts";
import { began, call, linesOf, usage } from "./played-run.ts";

function read(lines: RunEvent[]): RunSteps {
  const run = new RunSteps();
  for (const line of lines) run.add(line);
  return run;
}

const shortly = (run: RunSteps) =>
  run.steps.map(({ kind, state, from, to }) => [kind, state, from - began, to === null ? null : to - began]);

test("a call of the model lasts from when it could be asked until it has answered", () => {
  const run = read(
    linesOf(
      [0, "request", { prompt: "how much?" }],
      [300, "start", { attempt: 1 }],
      [4500, "usage", usage],
      [4501, "thinking", { summary: "Look first." }],
      [4502, "text", { text: "I look." }],
      [4503, "tool_start", { tool: "search", args: { q: "heater" }, call_id: "a" }],
      [5503, "tool_end", { tool: "search", call_id: "a", result: "found", is_error: false }],
      [9000, "usage", usage],
      [9001, "finish", { result: "24 euros" }],
    ),
  );
  expect(shortly(run)).toEqual([
    ["input", "done", 0, 0],
    ["model", "done", 300, 4500],
    ["tool", "done", 4503, 5503],
    ["model", "done", 5503, 9000],
    ["end", "done", 9001, 9001],
  ]);
  expect(run.steps[1]).toMatchObject({ reasoning: ["Look first."], texts: ["I look."], lines: [3, 4, 5], number: 2 });
  expect(run.isEnded).toBe(true);
});

test("what is being done has no end: the model is asked since its last tool has ended", () => {
  const lines = linesOf([0, "request", {}], [10, "start", {}], ...call(1000, "a", "bash", {}, 500));
  const whole = read(lines);
  expect([whole.asking, whole.said]).toEqual([{ since: began + 1501 }, ""]);
  whole.addLive({ event: "text_delta", text: "Yes, " });
  whole.addLive({ event: "text_delta", text: "rc2" });
  expect(whole.said).toBe("Yes, rc2");

  const calling = read(lines.slice(0, -1));
  expect(calling.asking).toBeNull();
  calling.addLive({ event: "tool_output", call_id: "a", text: "12 tests passed" });
  expect(calling.steps.at(-1)).toMatchObject({ kind: "tool", state: "running", to: null, output: "12 tests passed" });
});

test("what the model has said is there until a line has it, also where what it used is told before", () => {
  const said = { text: "Yes, rc2" };
  const [request, start, used, text] = linesOf(
    [0, "request", {}],
    [10, "start", {}],
    [500, "usage", usage],
    [501, "text", said],
  );
  const run = read([request, start].flatMap((line) => line ?? []));
  run.addLive({ event: "text_delta", ...said });
  run.add(used ?? expect.fail());
  expect(run.said).toBe("Yes, rc2");
  run.add(text ?? expect.fail());
  expect(run.said).toBe("");
  expect(run.steps.at(-1)).toMatchObject({ texts: ["Yes, rc2"] });
});

test("calls beside each other end in any order, each with its own result", () => {
  const run = read(
    linesOf(
      [0, "start", {}],
      [100, "usage", usage],
      [101, "tool_start", { tool: "a", call_id: "1" }],
      [102, "tool_start", { tool: "b", call_id: "2" }],
      [200, "tool_end", { call_id: "2", result: "second" }],
      [300, "tool_end", { call_id: "1", result: "first", is_error: true }],
    ),
  );
  const [first, second] = run.steps.filter(({ kind }) => kind === "tool");
  expect(first).toMatchObject({ tool: "a", result: "first", state: "failed", to: began + 300 });
  expect(second).toMatchObject({ tool: "b", result: "second", state: "done" });
  expect(run.asking?.since).toBe(began + 300);
});

test("a run that was lost goes on as its next attempt, and what it was at is lost", () => {
  const run = read(
    linesOf(
      [0, "request", {}],
      [10, "start", { attempt: 1 }],
      ...call(1000, "a", "bash", {}, 500).slice(0, 2),
      [40_000, "start", { attempt: 2 }],
      [42_000, "usage", usage],
    ),
  );
  expect(shortly(run).slice(-3)).toEqual([
    ["tool", "lost", 1001, 1001],
    ["attempt", "done", 40_000, 40_000],
    ["model", "done", 40_000, 42_000],
  ]);
  expect(run.steps.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2, 2]);
});

test("a call that is tried again is told beside the one that then succeeds", () => {
  const run = read(
    linesOf([0, "start", {}], [1000, "retry", { attempt: 1, delay_ms: 2100, reason: "429" }], [9000, "usage", usage]),
  );
  expect(shortly(run)).toEqual([
    ["retry", "failed", 0, 3100],
    ["model", "done", 3100, 9000],
  ]);
});

test("a call that waits for a person is a step of its own until it is decided", () => {
  const asked = { id: "q", tool: "bash", args: { command: "npm publish" }, why: "commands are asked about" };
  const lines = linesOf(
    [0, "start", {}],
    [10, "tool_start", { tool: "bash", call_id: "1" }],
    [20, "permission", asked],
    [5000, "permission_decided", { id: "q", decision: "deny", by: "web:nora" }],
  );
  expect(read(lines.slice(0, 3)).steps.at(-1)).toMatchObject({ kind: "wait", to: null, decision: null });
  expect(read(lines).steps.at(-1)).toMatchObject({ kind: "wait", decision: "deny", by: "web:nora", state: "failed" });
});

test("the step that was under way when the run failed has failed with it", () => {
  const lines = linesOf([0, "start", {}], ...call(100, "1", "bash", {}, 1).slice(0, 2), [
    300_000,
    "error",
    { error: "x" },
  ]);
  const run = read(lines);
  expect(run.steps.findLast(({ kind }) => kind === "tool")).toMatchObject({ state: "failed", to: began + 300_000 });
});

test("a line that was read before changes nothing", () => {
  const lines = linesOf([0, "request", { prompt: "?" }], [10, "start", {}], ...call(50, "1", "bash", {}, 5));
  const run = read([...lines, ...lines]);
  expect(run.steps).toEqual(read(lines).steps);
  expect(run.lastLine).toBe(lines.length);
});

test("an agent that tells what it used after its words, or not at all, has model calls, too", () => {
  const run = read(
    linesOf(
      [0, "start", {}],
      [900, "text", { text: "I look." }],
      [950, "usage", usage],
      [1000, "tool_start", { tool: "ls", call_id: "1" }],
      [1100, "tool_end", { call_id: "1" }],
      [2000, "tool_start", { tool: "cat", call_id: "2" }],
      [2100, "tool_end", { call_id: "2" }],
    ),
  );
  expect(run.steps.map(({ kind, from }) => [kind, from - began])).toEqual([
    ["model", 0],
    ["tool", 1000],
    ["model", 1100],
    ["tool", 2000],
  ]);
  expect(run.steps[0]).toMatchObject({ usage: { costUsd: 0.018 }, texts: ["I look."] });
});

test("fields of any kind break nothing", () => {
  const odd = {
    text: 7,
    prompt: {},
    tool: [],
    args: "x",
    call_id: null,
    cost_usd: "much",
    attempt: -1,
    queries: 3,
    id: 1,
  };
  const names = ["request", "start", "usage", "thinking", "text", "web_search", "retry", "tool_start", "tool_end"];
  const others = [
    "permission",
    "permission_decided",
    "input",
    "info",
    "saved",
    "handoff",
    "error",
    "finish",
    "made-up",
  ];
  const lines = linesOf(
    ...[...names, ...others].map((name, at): [number, string, Record<string, unknown>] => [at, name, odd]),
  );
  expect(() => read(lines)).not.toThrow();
});

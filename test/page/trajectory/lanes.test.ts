import { expect, test } from "vitest";
import { lanesOf, reasoningShare } from "../../../page/trajectory/lanes.ts";
import { RunSteps } from "../../../page/trajectory/run-steps.ts";
import type { RunEvent } from "../../../page/trajectory/step.ts";
import { began, call, linesOf, usage } from "./played-run.ts";

function lanes(lines: RunEvent[], span = { from: 0, to: 10_000 }, now = began + 10_000) {
  const run = new RunSteps();
  for (const line of lines) run.add(line);
  return lanesOf(run.steps, span, run.from, now);
}

test("a bar stands where its step began, as wide as it took", () => {
  const { model, tools, inputs } = lanes(
    linesOf([0, "request", {}], [1000, "start", {}], ...call(3000, "1", "bash", {}, 1999)),
  );
  expect(inputs).toMatchObject([{ left: 0, width: 0 }]);
  expect(model[0]?.left).toBeCloseTo(0.1);
  expect(model[0]?.width).toBeCloseTo(0.2);
  expect(tools[0]?.left).toBeCloseTo(0.3001);
  expect(tools[0]?.width).toBeCloseTo(0.1999);
});

test("an open bar reaches to now", () => {
  const { tools } = lanes(
    linesOf([0, "start", {}], ...call(2000, "1", "bash", {}, 1).slice(0, 2)),
    undefined,
    began + 6001,
  );
  expect(tools).toMatchObject([{ isOpen: true }]);
  expect(tools[0]?.width).toBeCloseTo(0.4);
});

test("a part of the axis shows what is in it, cut at its ends", () => {
  const lines = linesOf([0, "start", {}], ...call(3000, "1", "a", {}, 2000), ...call(7000, "2", "b", {}, 1000));
  const { tools, model } = lanes(lines, { from: 3000, to: 5000 });
  expect(tools.map(({ left, width }) => [left, width])).toEqual([[0.0005, 0.9995]]);
  expect(model).toHaveLength(1);
});

test("calls at the same time stack in four rows, and the others are counted", () => {
  const starts = [1, 2, 3, 4, 5, 6, 7].map((at): [number, string, Record<string, unknown>] => [
    at,
    "tool_start",
    { tool: "t", call_id: `${at}` },
  ]);
  const { toolRows, tools, hidden } = lanes(linesOf([0, "start", {}], ...starts));
  expect(tools.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4, 4, 4]);
  expect(toolRows).toBe(4);
  expect(hidden).toMatchObject([{ count: 3 }]);
});

test("calls after each other share a row", () => {
  const lines = linesOf([0, "start", {}], ...call(100, "1", "a", {}, 50), ...call(200, "2", "b", {}, 50));
  expect(lanes(lines).toolRows).toBe(1);
});

test("the same call three times in a row is marked, other arguments are not", () => {
  const same = (at: number, id: string) => call(at, id, "get", { uri: "x" }, 10);
  const lines = linesOf(
    [0, "start", {}],
    ...call(100, "0", "get", { uri: "y" }, 10),
    ...same(200, "1"),
    ...same(300, "2"),
  );
  expect(lanes(lines).repeated).toEqual([]);
  const more = linesOf(
    [0, "start", {}],
    ...same(100, "1"),
    ...same(200, "2"),
    ...same(300, "3"),
    ...call(400, "4", "get", 1, 1),
  );
  expect(lanes(more).repeated).toMatchObject([{ count: 3 }]);
});

test("a cost column stands at the end of its call, as high as its share of the dearest", () => {
  const lines = linesOf(
    [0, "start", {}],
    [1000, "usage", { ...usage, cost_usd: 0.01 }],
    [2000, "usage", { ...usage, cost_usd: 0.04 }],
    [3000, "usage", { ...usage, cost_usd: null }],
  );
  expect(lanes(lines).costs).toMatchObject([
    { left: 0.1, height: 0.25 },
    { left: 0.2, height: 1 },
  ]);
});

test("the wait for a person stands over the call that waits", () => {
  const lines = linesOf(
    [0, "start", {}],
    [10, "tool_start", { tool: "a", call_id: "1" }],
    [11, "tool_start", { tool: "b", call_id: "2" }],
    [20, "permission", { id: "q", why: "asked about" }],
  );
  expect(lanes(lines).waits).toMatchObject([{ row: 1, isOpen: true }]);
});

test("the pale part of a model bar is its share of the tokens", () => {
  const run = new RunSteps();
  for (const line of linesOf([0, "start", {}], [10, "usage", usage])) run.add(line);
  expect(run.steps.map(reasoningShare)).toEqual([0.4]);
});

test("of thousands of calls the dearest at each place has a column", () => {
  const many = Array.from({ length: 3000 }, (_, at): [number, string, Record<string, unknown>] => [
    at * 3,
    "usage",
    { ...usage, cost_usd: at === 1500 ? 1 : 0.01 },
  ]);
  const { costs } = lanes(linesOf([0, "start", {}], ...many));
  expect(costs.length).toBeLessThanOrEqual(401);
  expect(costs.filter(({ height }) => height === 1)).toHaveLength(1);
});

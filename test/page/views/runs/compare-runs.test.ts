import { expect, test } from "vitest";
import { RunSteps } from "../../../../page/trajectory/run-steps.ts";
import { firstDifference, requestDifferences } from "../../../../page/views/runs/compare-runs.ts";
import { call, linesOf } from "../../trajectory/played-run.ts";

function stepsOf(...lines: Parameters<typeof linesOf>) {
  const run = new RunSteps();
  for (const line of linesOf([0, "request", { prompt: "?" }], [1, "start", {}], ...lines)) run.add(line);
  return run.steps;
}

test("runs that did the same at other times don't differ", () => {
  expect(firstDifference(stepsOf(...call(10, "1", "ls", {}, 5)), stepsOf(...call(900, "x", "ls", {}, 50)))).toBeNull();
});

test("two runs part at the first step that says something else, or that one of them lacks", () => {
  const one = stepsOf(...call(10, "1", "ls", {}, 5), ...call(90, "2", "cat", { path: "a" }, 5));
  const other = stepsOf(...call(10, "1", "ls", {}, 5), ...call(90, "2", "cat", { path: "b" }, 5));
  expect(firstDifference(one, other)).toBe(5);
  // A model that calls another tool has said something else.
  expect(firstDifference(one, stepsOf(...call(10, "1", "find", {}, 5)))).toBe(2);
  expect(firstDifference(one, stepsOf(...call(10, "1", "ls", {}, 5)))).toBe(4);
});

test("what was asked differently is named", () => {
  const run = { prompt: "?", persona: "a", backend: "offline", model: null };
  expect(requestDifferences(run, { ...run, persona: "b", model: "m" })).toEqual(["persona", "model"]);
  expect(requestDifferences(run, run)).toEqual([]);
});

import { expect, test } from "vitest";
import { Waits } from "../../../cortex/limits/waits.ts";

const waitsAfter = (...events: [ts: number, event: string, id: string, more?: Record<string, unknown>][]) => {
  const waits = new Waits();
  for (const [ts, event, id, more] of events) waits.add({ ts, event, id, ...more });
  return waits;
};

test("the time between a question and its answer doesn't count", () => {
  const waits = waitsAfter([10, "permission", "a"], [30, "permission_decided", "a"]);
  expect(waits.isOpen).toBe(false);
  expect(waits.within(0, 100)).toBe(20);
  expect(waits.within(20, 25)).toBe(5);
  expect(waitsAfter([10, "permission", "a"]).within(0, 100)).toBe(90);
});

test("questions that overlap are one time, and one that comes again counts once", () => {
  const waits = waitsAfter(
    [10, "permission", "a"],
    [20, "permission", "b"],
    [25, "permission", "a"],
    [30, "permission_decided", "a"],
    [40, "permission_decided", "b"],
    [50, "permission", "a"],
  );
  expect(waits.isOpen).toBe(false);
  expect(waits.within(0, 100)).toBe(30);
});

test("the clocks stand still for a task's question, again and again", () => {
  const waits = waitsAfter([10, "clocks_stopped", "a"], [20, "clocks_resumed", "a"], [50, "clocks_stopped", "a"]);
  expect(waits).toMatchObject({ isOpen: true, ofTasks: ["a"] });
  expect(waits.isKnown("a")).toBe(false);
  expect(waits.within(0, 60)).toBe(20);
});

test("a call that has ended waits for nobody, whatever was asked about it", () => {
  const asked: Parameters<typeof waitsAfter> = [[10, "permission", "a", { call_id: "c", args: { b: 1 } }]];
  expect(waitsAfter(...asked)).toMatchObject({ isOpen: true, calls: ["c"] });
  const waits = waitsAfter(
    ...asked,
    [30, "tool_end", "", { call_id: "other" }],
    [40, "tool_end", "", { call_id: "c" }],
  );
  expect(waits).toMatchObject({ isOpen: false, calls: [] });
  expect(waits.isDecided("a")).toBe(true);
  expect(waits.argsOf("a")).toEqual({ b: 1 });
  expect(waits.within(0, 100)).toBe(30);
});

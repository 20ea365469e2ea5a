import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunBudget } from "../../../cortex/limits/run-budget.ts";
import type { Plan } from "../../../cortex/plan/merge.ts";
import { systemClock } from "../../../cortex/model/clock.ts";
import type { RunContext } from "../../../cortex/run-scope/run-context.ts";
import type { RunRecord } from "../../../cortex/plan/run-record.ts";
import { CallsUnderWay } from "../../../cortex/limits/calls-under-way.ts";
import { RunSoFar } from "../../../cortex/limits/run-so-far.ts";
import { agentId, event } from "../../journal/temporary-journal.ts";

const began = Number(agentId);
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: began }));
afterEach(() => void vi.useRealTimers());

const nothingElse = { restate() {}, add() {}, exceeded: () => null, onChange: () => ({ [Symbol.dispose]() {} }) };
const host: Pick<RunContext, "clock" | "settings" | "usage" | "underWay"> = {
  clock: systemClock,
  settings: () => ({}),
  usage: nothingElse,
  underWay: new CallsUnderWay(),
};
const budgetOf = (limits: Partial<Plan["limits"]>, events = [event(1, "request")]) => {
  const soFar = new RunSoFar();
  for (const said of events) soFar.add(said);
  return new RunBudget(
    host,
    agentId,
    { persona: "default", limits: { timeout_seconds: 10, ...limits } } as Plan,
    soFar,
  );
};
const record = (fields: Partial<RunRecord> = {}) => ({ started: began, ...fields }) as RunRecord;
const after = (seconds: number) => vi.setSystemTime(began + seconds * 1000);
const finish = event(9, "finish");

test("a run's own wall clock is that of its attempt; its tree's time is shared by all attempts", () => {
  after(4);
  expect(budgetOf({}).wallClock(record({ spent_ms: 9000 }))).toMatchObject({ ms: 6000, reason: "timeout" });
  const both = budgetOf({ max_total_seconds: 14 });
  expect(both.wallClock(record())).toMatchObject({ ms: 6000, reason: "timeout" });
  expect(both.wallClock(record({ spent_ms: 9000 }))).toMatchObject({ ms: 1000, reason: "budget" });
  expect(both.left(record({ spent_ms: 9000 }), finish)).toEqual({ max_total_seconds: 1 });
  after(60);
  expect(both.left(record(), finish)).toEqual({ max_total_seconds: 0 });
});

test("the time in which a lost run was nobody's doesn't count, nor does a clock that was set back", () => {
  const heard = began + 3000;
  after(3600);
  expect(budgetOf({}).msBefore(record({ spent_ms: 500 }), heard)).toBe(3500);
  expect(budgetOf({}).msBefore(record(), null)).toBe(0);
  after(-3600);
  expect(budgetOf({}).msBefore(record({ spent_ms: 500 }), heard)).toBe(500);
  expect(budgetOf({}).wallClock(record()).ms).toBe(10_000);
});

test("a missing price is reported once, even by a cortex that resumes the run", () => {
  const usage = event(2, "usage", { model: "m", input_tokens: 1 });
  const first = budgetOf({ max_cost_usd: 1 });
  expect(first.takeCaveat()).toBe(null);
  first.count(usage);
  const caveat = first.takeCaveat();
  expect([caveat, first.takeCaveat()]).toEqual([expect.stringContaining("no price is known for m"), null]);
  expect(budgetOf({ max_cost_usd: 1 }, [usage, event(3, "info", { message: caveat })]).takeCaveat()).toBe(null);
  expect(budgetOf({ max_cost_usd: 1 }, [usage]).takeCaveat()).toBe(caveat);
});

import { expect, test } from "vitest";
import { budgetDay } from "../../../workspace/budgets/budget-day.ts";
import { decideBudget, type Spending } from "../../../workspace/budgets/budget-rule.ts";

const nothing: Spending = { spent: 0, reserved: 0 };
const spending = (workspace: Partial<Spending>, agent: Partial<Spending> = {}) => ({
  workspace: { ...nothing, ...workspace },
  agent: { ...nothing, ...agent },
});

test("an answer without a budget begins and costs what it costs", () => {
  expect(decideBudget(null, spending({ spent: 100 }), 1)).toEqual({ kind: "granted", maxCostUsd: null });
  expect(decideBudget({}, spending({ spent: 100 }), 1)).toEqual({ kind: "granted", maxCostUsd: null });
});

test("an answer may cost its agent's limit, a quarter of the day without one, and never more than what is left", () => {
  const budget = { max_cost_usd: 10 };
  expect(decideBudget(budget, spending({}), 1)).toEqual({ kind: "granted", maxCostUsd: 1 });
  expect(decideBudget(budget, spending({}), undefined)).toEqual({ kind: "granted", maxCostUsd: 2.5 });
  expect(decideBudget(budget, spending({ spent: 9.5 }), 1)).toEqual({ kind: "granted", maxCostUsd: 0.5 });
});

test("an answer waits while answers that run may use up what it needs", () => {
  expect(decideBudget({ max_cost_usd: 10 }, spending({ spent: 4, reserved: 5.5 }), 1)).toEqual({ kind: "waits" });
});

test("the stricter of both budgets counts", () => {
  const budget = { max_cost_usd: 10, max_cost_usd_per_agent: 2 };
  expect(decideBudget(budget, spending({ spent: 5 }, { spent: 1.5 }), 1)).toEqual({ kind: "granted", maxCostUsd: 0.5 });
  expect(decideBudget(budget, spending({ spent: 5 }, { spent: 2 }), 1)).toEqual({
    kind: "refused",
    scope: "agent",
    budgetUsd: 2,
  });
  expect(decideBudget(budget, spending({ spent: 10 }), 1)).toMatchObject({ kind: "refused", scope: "workspace" });
  expect(decideBudget({ max_cost_usd: 0 }, spending({}), 1)).toMatchObject({ kind: "refused" });
});

test.each([
  ["UTC", "2026-03-29T12:00:00Z", "2026-03-29T00:00:00.000Z"],
  ["Asia/Tokyo", "2026-03-29T20:00:00Z", "2026-03-29T15:00:00.000Z"],
  // The clocks go forward, and back: the day has 23 hours, or 25.
  ["Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25T22:30:00Z", "2026-10-24T22:00:00.000Z"],
])("a day in %s that has come to %s began at %s", (timeZone, now, start) => {
  const day = budgetDay(Date.parse(now), timeZone);
  expect(new Date(day.start).toISOString()).toBe(start);
});

import { expect, test } from "vitest";
import { Budget } from "../../../cortex/limits/budget.ts";

const usage = (fields: Record<string, unknown>) => ({ event: "usage", ...fields });
const finish = { event: "finish", result: "done" };

function counted(limits: ConstructorParameters<typeof Budget>[0], ...calls: Record<string, unknown>[]): Budget {
  const budget = new Budget(limits);
  for (const call of calls) budget.count(usage(call));
  return budget;
}

test("tokens and money are counted from usage events, and the limit itself is too much", () => {
  const budget = new Budget({ max_total_tokens: 100, max_cost_usd: 1 });
  budget.count(
    usage({ input_tokens: 60, cached_input_tokens: 50, output_tokens: 39, reasoning_tokens: 30, cost_usd: 0 }),
  );
  budget.count({ event: "finish", usage: { input_tokens: 1000 } });
  expect(budget.exceeded()).toBe(null);
  expect(budget.left(finish)).toEqual({ max_total_tokens: 1, max_cost_usd: 1 });
  budget.count(usage({ output_tokens: 1, cost_usd: 0 }));
  expect(budget.exceeded()).toBe("used 100 tokens, the limit max_total_tokens is 100");
  expect(budget.left(finish)).toEqual({ max_total_tokens: 0, max_cost_usd: 1 });
});

test("money has a limit of its own, which decimal fractions reach exactly", () => {
  const budget = counted({ max_cost_usd: 0.5 }, { input_tokens: 1e9, cost_usd: 0.25 });
  expect([budget.exceeded(), budget.left(finish)]).toEqual([null, { max_cost_usd: 0.25 }]);
  budget.count(usage({ cost_usd: 0.25 }));
  expect(budget.exceeded()).toBe("cost 0.5000 USD, the limit max_cost_usd is 0.5");
  // Added up, eight tenths are a little less than 0.8.
  const tenths = counted({ max_cost_usd: 0.8 }, ...Array<{ cost_usd: number }>(8).fill({ cost_usd: 0.1 }));
  expect([tenths.exceeded() === null, tenths.left(finish)]).toEqual([false, { max_cost_usd: 0 }]);
});

test("senseless numbers are not counted, give nothing back, and hide no others", () => {
  const odd = [{ input_tokens: -5 }, { input_tokens: "9" }, { cost_usd: -1 }, { output_tokens: Number.NaN }];
  expect(counted({ max_total_tokens: 10, max_cost_usd: 1 }, ...odd).left(finish)).toEqual({
    max_total_tokens: 10,
    max_cost_usd: 1,
  });
  const beside = { input_tokens: 10, cached_input_tokens: null, reasoning_tokens: "many", cost_usd: 0 };
  expect(counted({ max_total_tokens: 10 }, beside).exceeded()).toMatch("used 10 tokens");
});

test("the rest of a limit is a limit that a request may have, or nothing", () => {
  const budget = counted({ max_total_tokens: 10, max_cost_usd: 1 }, { input_tokens: 0.5, cost_usd: 0 });
  expect(budget.left(finish).max_total_tokens).toBe(9);
  budget.count(usage({ input_tokens: 100, cost_usd: 5 }));
  expect(budget.left(finish)).toEqual({ max_total_tokens: 0, max_cost_usd: 0 });
  expect(new Budget({}).left(finish)).toEqual({});
});

test("as many model calls may be made as the limit says, and no attempt begins after the last", () => {
  const budget = counted({ max_total_turns: 2 }, { input_tokens: 1 });
  expect([budget.exceeded(), budget.spentUp(), budget.left(finish)]).toEqual([null, null, { max_total_turns: 1 }]);
  budget.count(usage({ input_tokens: 1 }));
  expect([budget.exceeded(), budget.left(finish)]).toEqual([null, { max_total_turns: 0 }]);
  expect(budget.spentUp()).toBe("made 2 model calls, the limit max_total_turns is 2");
  budget.count(usage({}));
  expect(budget.exceeded()).toBe("made 3 model calls, the limit max_total_turns is 2");
});

test("tokens without a known price count as dear ones against a limit of money, and that is said", () => {
  const budget = counted({ max_cost_usd: 1 }, { model: "local", input_tokens: 9_999, cost_usd: null });
  expect(budget.exceeded()).toBe(null);
  expect(budget.caveat).toMatch(/no price is known for local: a million of its tokens count as 100 USD.*unknown_price/);
  expect(budget.left(finish).max_cost_usd).toBeCloseTo(0.0001);
  budget.count(usage({ output_tokens: 1 }));
  expect(budget.exceeded()).toBe("cost at most 1.0000 USD, the limit max_cost_usd is 1");
  expect(budget.totals).toMatchObject({ total_tokens: 10_000, cost_usd: null });
});

test("a provider with free tokens says so by a price of 0; without a limit of money no price matters", () => {
  const free = new Budget({ max_cost_usd: 1 }, 0);
  free.count(usage({ input_tokens: 1e9 }));
  expect([free.exceeded(), free.left(finish)]).toEqual([null, { max_cost_usd: 1 }]);
  const tokens = counted({ max_total_tokens: 100 }, { input_tokens: 1 });
  expect([tokens.caveat, counted({ max_cost_usd: 1 }, { input_tokens: 1, cost_usd: 0 }).caveat]).toEqual([null, null]);
});

test("the totals of a terminal event count once, and only for a backend that told of nothing else", () => {
  const last = { ...finish, usage: { input_tokens: 60, output_tokens: 39, cost_usd: 0.5 } };
  const silent = new Budget({ max_total_tokens: 100, max_cost_usd: 1 });
  expect(silent.left(last)).toEqual({ max_total_tokens: 1, max_cost_usd: 0.5 });
  expect(silent.lastCaveat(last)).toBe(null);
  silent.count(last);
  silent.count(last);
  expect(silent.totals).toMatchObject({ total_tokens: 99, cost_usd: 0.5 });
  expect(counted({ max_total_tokens: 100 }, { input_tokens: 1 }).left(last)).toEqual({ max_total_tokens: 99 });
});

test("a backend that tells of nothing is said to be unlimited, and so are calls that tell of nothing", () => {
  expect(new Budget({ max_cost_usd: 1 }).lastCaveat(finish)).toMatch("the backend told of no usage");
  expect(counted({ max_total_tokens: 9 }, { input_tokens: 1 }, {}).lastCaveat(finish)).toMatch("1 of 2 model calls");
  expect(counted({ max_cost_usd: 1 }, { input_tokens: 1 }).lastCaveat(finish)).toBe(null);
  expect(new Budget({ max_total_turns: 1 }).lastCaveat(finish)).toBe(null);
});

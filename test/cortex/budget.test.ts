import { expect, test } from "vitest";
import { Budget } from "../../cortex/budget.ts";

const usage = (fields: Record<string, unknown>) => ({ event: "usage", ...fields });

test("tokens and money are counted from usage events alone, and the limit itself is too much", () => {
  const budget = new Budget({ max_total_tokens: 100, max_cost_usd: 1 });
  budget.count({ event: "finish", usage: { input_tokens: 1000 } });
  budget.count(
    usage({ input_tokens: 60, cached_input_tokens: 50, output_tokens: 39, reasoning_tokens: 30, cost_usd: null }),
  );
  expect(budget.exceeded()).toBe(null);
  expect(budget.left()).toEqual({ max_total_tokens: 1, max_cost_usd: 1 });
  budget.count(usage({ output_tokens: 1 }));
  expect(budget.exceeded()).toBe("used 100 tokens, the limit max_total_tokens is 100");
});

test("money has a limit of its own", () => {
  const budget = new Budget({ max_cost_usd: 0.5 });
  budget.count(usage({ input_tokens: 1e9, cost_usd: 0.25 }));
  expect([budget.exceeded(), budget.left()]).toEqual([null, { max_cost_usd: 0.25 }]);
  budget.count(usage({ cost_usd: 0.25 }));
  expect(budget.exceeded()).toBe("cost 0.5000 USD, the limit max_cost_usd is 0.5");
});

test("what makes no sense is not counted, and can't give anything back", () => {
  const budget = new Budget({ max_total_tokens: 10, max_cost_usd: 1 });
  for (const fields of [{ input_tokens: -5 }, { input_tokens: "9" }, { cost_usd: -1 }, { output_tokens: Number.NaN }])
    budget.count(usage(fields));
  expect(budget.left()).toEqual({ max_total_tokens: 10, max_cost_usd: 1 });
});

test("what is left is a limit that a request may have: positive, and whole where it must be", () => {
  const budget = new Budget({ max_total_tokens: 10, max_cost_usd: 1 });
  budget.count(usage({ input_tokens: 0.5 }));
  expect(budget.left().max_total_tokens).toBe(9);
  budget.count(usage({ input_tokens: 100, cost_usd: 5 }));
  expect(budget.left().max_total_tokens).toBe(1);
  expect(budget.left().max_cost_usd).toBeGreaterThan(0);
  expect(new Budget({}).left()).toEqual({});
});

import { expect, test } from "vitest";
import { DailyUsage } from "../../../cortex/limits/daily-usage.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";

const tokens = (input_tokens: number, cost_usd = 0) => ({ ...nothingSpent, calls: 1, input_tokens, cost_usd });
const [a, b] = ["1736380800000", "1736380800001"];

test("all runs of a day count, and each of them once, however often and in whatever order it is told", () => {
  const book = new DailyUsage("20250109");
  const daily = { daily: { max_total_tokens: 100 } };
  book.noteUsage(a, "default", tokens(60));
  book.noteUsage(b, "digest", tokens(39));
  for (const again of [tokens(20), tokens(60), tokens(0)]) book.noteUsage(a, "default", again);
  expect(book.exceeded("default", daily, "UTC")).toBe(null);
  book.noteUsage(b, "digest", tokens(40));
  expect(book.exceeded("default", daily, "Europe/Berlin")).toBe(
    "used 100 tokens today, the limit budgets.daily.max_total_tokens is 100; 20250109 ends at midnight (Europe/Berlin), then 20250110 begins anew",
  );
});

test("a persona's own limit stops nobody else", () => {
  const book = new DailyUsage("20241231");
  const budgets = { personas: { digest: { daily: { max_cost_usd: 0.3 } } } };
  for (const [index, id] of ["0", "1", "2"].entries())
    book.noteUsage(`173568480000${id}`, "digest", tokens(index, 0.1));
  expect(book.exceeded("default", budgets, "UTC")).toBe(null);
  expect(book.exceeded("digest", budgets, "UTC")).toBe(
    "cost 0.3000 USD today, the limit budgets.personas.digest.daily.max_cost_usd is 0.3; 20241231 ends at midnight (UTC), then 20250101 begins anew",
  );
});

test("a limit of models counts all that fits its pattern, whoever used it, and stops those models alone", () => {
  const book = new DailyUsage("20250109");
  const budgets = { models: { "claude-opus-*": { max_total_tokens: 100 }, "*": { max_cost_usd: 9 } } };
  const asked = (...models: string[]) => book.exceeded("default", budgets, "UTC", { models });
  book.noteUsage(a, "default", tokens(60), new Map([["claude-opus-4-5", tokens(60)]]));
  book.noteUsage(
    b,
    "digest",
    tokens(5040),
    new Map([
      ["claude-sonnet-5", tokens(5001)],
      ["claude-opus-4-1", tokens(39)],
    ]),
  );
  expect(asked("claude-opus-5")).toBe(null);
  book.noteUsage(a, "default", tokens(61), new Map([["claude-opus-4-5", tokens(61)]]));
  expect(asked("claude-opus-5")).toMatch(
    "used 100 tokens today, the limit budgets.models.claude-opus-*.max_total_tokens is 100",
  );
  expect(asked("claude-sonnet-5", "claude-opus-5")).toMatch("budgets.models.claude-opus-*");
  for (const other of ["claude-sonnet-5", "my-claude-opus-5"]) expect(asked(other)).toBe(null);
  book.noteUsage(b, "digest", tokens(5040, 9), new Map([["claude-sonnet-5", tokens(5001, 9)]]));
  expect(asked("claude-sonnet-5")).toMatch("cost 9.0000 USD today, the limit budgets.models.*.max_cost_usd is 9");
});

test("a limit of nothing lets nothing begin, and no limit everything", () => {
  const book = new DailyUsage("20250109");
  expect(book.exceeded("default", { daily: { max_total_tokens: 0 } }, "UTC")).toMatch("used 0 tokens");
  expect(book.exceeded("default", { daily: { max_cost_usd: 0 } }, "UTC")).toMatch("cost 0.0000 USD");
  book.noteUsage(a, "default", tokens(1e12, 1e6));
  for (const none of [{}, { daily: {} }, { personas: { other: { daily: { max_total_tokens: 1 } } } }])
    expect(book.exceeded("default", none, "UTC")).toBe(null);
});

test("tokens without a known price count against a day's money as well", () => {
  const book = new DailyUsage("20250109");
  book.noteUsage(a, "default", { ...tokens(10_000), unpriced_tokens: 10_000 });
  const daily = { max_cost_usd: 1 };
  expect(book.exceeded("default", { daily }, "UTC")).toMatch(
    "cost 1.0000 USD today at most (a guess: 10000 tokens without a known price count as 100 USD a million), the limit",
  );
  expect(book.exceeded("default", { daily, unknown_price_usd: 99 }, "UTC")).toBe(null);
});

test("a run whose usage can't be read is a refusal until it is reported anew", () => {
  const daily = { daily: { max_total_tokens: 100 } };
  const book = new DailyUsage("20250109");
  book.noteUnreadable(a);
  expect(book.exceeded("default", daily, "UTC")).toMatch(`what run ${a} has used today can't be read`);
  expect(book.exceeded("default", { daily: {} }, "UTC")).toBe(null);
  book.noteUsage(a, "default", tokens(5));
  expect(book.exceeded("default", daily, "UTC")).toBe(null);
  book.noteUnreadable(a); // what is known counts on
  expect(book.exceeded("default", daily, "UTC")).toBe(null);
  book.noteUsage(b, "default", tokens(Number.NaN));
  expect(book.exceeded("default", daily, "UTC")).toMatch("today's usage is not a number");
  expect(book.exceeded("default", { daily: { max_cost_usd: 1 } }, "UTC")).toMatch("today's usage is not a number");
});

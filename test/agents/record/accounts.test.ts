import { expect, test } from "vitest";
import { firstWords, titleOf, withUsage } from "../../../agents/record/accounts.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";

test.each([
  ["[channel: cli | id: main]\nWhat did we decide?", "What did we decide?"],
  ["  two\n lines\u202e of\ttext ", "two lines of text"],
  ["[channel: cli | id: main]", ""],
  ["我们昨天查了北京天气的情况", "我们昨天查了北京天气的情况"],
])("a title is the first words that were said, on one line: %j", (text, title) => {
  expect(firstWords(text)).toBe(title);
});

test("a long title is cut between words, and one without blanks anywhere but within a character", () => {
  const words = titleOf("all about the greenhouse heater ".repeat(9));
  expect(words).toBe("all about the greenhouse heater all about the greenhouse heater all about the…");
  expect(titleOf("🎉".repeat(90))).toBe(`${"🎉".repeat(39)}…`);
});

test("usage adds up, and messages with it", () => {
  const spent = { ...nothingSpent, input_tokens: 3, output_tokens: 2, cost_usd: 0.5, unpriced_tokens: 5 };
  const once = withUsage(undefined, spent, 2);
  expect(withUsage(once, spent)).toEqual({
    messages: 2,
    input_tokens: 6,
    output_tokens: 4,
    cost_usd: 1,
    untold_calls: 0,
    unpriced_tokens: 10,
  });
});

import { expect, test } from "vitest";
import { countOf, rowMoney, sizeOf, sumMoney } from "../../../../page/words/amounts/money.ts";

test("money in rows has three decimals, and nothing that was paid is shown as nothing", () => {
  expect([0, 0.18, 0.0004, 12.3456].map((usd) => rowMoney(usd))).toEqual(["$0.000", "$0.180", "<$0.001", "$12.346"]);
  expect(rowMoney(0.031, true)).toBe("about $0.031");
});

test("a price that nobody knows isn't a number", () => {
  expect(rowMoney(null)).toBe("");
  expect(sumMoney(null)).toBe("no price known");
});

test("sums have two decimals", () => {
  expect([0, 0.001, 1.618].map(sumMoney)).toEqual(["$0.00", "<$0.01", "$1.62"]);
});

test("counts have their noun in the right number", () => {
  expect(countOf(1, "token")).toBe("1 token");
  expect(countOf(41_870, "token")).toBe("41,870 tokens");
  expect(countOf(2, "reply", "replies")).toBe("2 replies");
});

test("sizes are short", () => {
  expect([1, 999, 41_200, 1_230_000].map(sizeOf)).toEqual(["1 byte", "999 bytes", "41 KB", "1.2 MB"]);
});

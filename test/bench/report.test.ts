import { expect, test } from "vitest";
import type { Row } from "../../bench/harness/figures/benchmark.ts";
import { markdownOf, ratiosOf, tableOf, verdict } from "../../bench/harness/figures/report.ts";

const script = { what: "script", figures: [10, 20, 10] };
const row = (more: Partial<Row>): Row => ({ what: "a run", unit: "ms", ours: [30, 20, 10], target: null, ...more });

test("ratios are taken round by round, and the one in the middle counts", () => {
  const slow = row({ comparedWith: script, target: { atMost: 0.8 } });
  expect(ratiosOf(slow)).toEqual([3, 1, 1]);
  expect(verdict(slow)).toBe("missed by 25 %");
  expect(verdict(row({ comparedWith: script, target: { atMost: 1 } }))).toBe("met");
});

test("the figure itself counts without a comparison", () => {
  expect(verdict(row({ target: { atMost: 20 } }))).toBe("met");
  expect(verdict(row({ target: { atMost: 16 } }))).toBe("missed by 25 %");
});

test("a lower figure misses where more is better", () => {
  expect(verdict(row({ target: { atLeast: 20 } }))).toBe("met");
  expect(verdict(row({ target: { atLeast: 40 } }))).toBe("missed by 50 %");
});

test("a figure that couldn't be measured is not met", () => {
  expect(verdict(row({ ours: [], target: { atMost: 20 } }))).toBe("not measured");
});

test("a table tells the spread, and judges only when it is told to", () => {
  const rows = [row({ comparedWith: script, target: { atMost: 0.8 } })];
  expect(tableOf(rows, true)).toContain("20.0 (10.0–30.0) ms");
  expect(tableOf(rows, true)).toContain("1.00 (1.00–3.00)");
  expect(tableOf(rows, true)).toContain("missed");
  expect(tableOf(rows, false)).not.toContain("missed");
  expect(markdownOf(rows).split("\n").at(-1)).toBe(
    "| a run | 20.0 (10.0–30.0) ms | script: 10.0 ms | 1.00 (1.00–3.00) | ≤ 0.8 × | missed by 25 % |",
  );
});

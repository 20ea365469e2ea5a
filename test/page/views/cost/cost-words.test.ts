import { expect, test } from "vitest";
import { addressOf, csvOf, nameOf, placeOf, runsOf } from "../../../../page/views/cost/cost-address.ts";
import { addDays, daysUntil, longDay, rangeWords, scaleOf, tickOf } from "../../../../page/views/cost/cost-days.ts";

test("days are counted over ends of months and years", () => {
  expect(addDays("20250301", -1)).toBe("20250228");
  expect(daysUntil("20250102", 3)).toEqual(["20241231", "20250101", "20250102"]);
  expect([rangeWords("20250106", "20250120"), rangeWords("20241229", "20250112")]).toEqual([
    "6 to 20 January",
    "29 December to 12 January",
  ]);
  expect([tickOf("20250106", true), tickOf("20250107", false), tickOf("20250201", false)]).toEqual([
    "6 Jan",
    "7",
    "1 Feb",
  ]);
  expect(longDay("20250120")).toBe("Monday, 20 January");
});

test("a scale has round steps, none above what is shown", () => {
  expect(scaleOf(2.38)).toEqual({ top: 2.38 * 1.08, steps: [1, 2] });
  expect(scaleOf(0).steps).toEqual([]);
  for (const most of [1e-6, 0.03, 0.7, 9.99, 12345]) {
    const { top, steps } = scaleOf(most);
    expect(steps.length).toBeGreaterThanOrEqual(1);
    expect(steps.length).toBeLessThanOrEqual(5);
    expect(Math.max(...steps)).toBeLessThanOrEqual(top);
  }
});

test("what is shown is part of the address; what isn't known is left out", () => {
  const place = { by: "model", to: "20250120", of: "a & b" } as const;
  const address = addressOf(place);
  expect(placeOf(Object.fromEntries(new URLSearchParams(address.split("?")[1])))).toEqual(place);
  expect(placeOf({ by: "toString", to: "soon" })).toEqual({ by: "persona", to: "", of: "" });
});

test("a number leads to its runs, where a filter names them", () => {
  expect(runsOf("persona", "coder", "20250106", "20250120")).toBe("/runs?persona=coder&day=20250106&until=20250120");
  expect(runsOf("day", "20250106", "20250106", "20250106")).toBe("/runs?day=20250106");
  expect([runsOf("agent", "none", "20250106", "20250106"), runsOf("model", "unknown", "20250106", "20250106")]).toEqual(
    [null, null],
  );
  expect(nameOf("agent", { name: "abcdefghijk", agent_name: null })).toBe("Agent …efghijk");
});

test("a spreadsheet takes a name for no formula, and none for two cells", () => {
  const sums = {
    runs: 1,
    unknown_runs: 0,
    calls: 2,
    input_tokens: 3,
    cached_input_tokens: 0,
    output_tokens: 4,
    reasoning_tokens: 0,
    total_tokens: 7,
    cost_usd: 0.5,
    known_cost_usd: 0.5,
    unpriced_tokens: 0,
    agent_name: null,
  };
  const rows = ['=1+1,"x"', "plain"].map((name) => ({ name, ...sums }));
  expect(csvOf({ by: "persona", rows }).split("\r\n")).toEqual([
    "persona,runs,unknown_runs,calls,input_tokens,cached_input_tokens,output_tokens,reasoning_tokens,total_tokens,known_cost_usd,unpriced_tokens",
    `"'=1+1,""x""",1,0,2,3,0,4,0,7,0.5,0`,
    "plain,1,0,2,3,0,4,0,7,0.5,0",
    "",
  ]);
});

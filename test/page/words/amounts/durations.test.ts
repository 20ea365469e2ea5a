import { describe, expect, test } from "vitest";
import { labelOf, limitOf, placeOf, spanOf, tookOf, waitOf } from "../../../../page/words/amounts/durations.ts";

describe("durations", () => {
  test.each([
    [0, "0 ms"],
    [20, "20 ms"],
    [94.4, "94 ms"],
    [95, "0.1 s"],
    [2600, "2.6 s"],
    [13_900, "13.9 s"],
    [59_940, "59.9 s"],
    [59_960, "1 m 00 s"],
    [152_000, "2 m 32 s"],
    [3_900_000, "1 h 05 m"],
    [-5, "0 ms"],
  ])("a step of %d ms took %s", (ms, text) => expect(tookOf(ms)).toBe(text));

  test.each([
    [999, "0 s"],
    [9000, "9 s"],
    [72_000, "1 m 12 s"],
    [300_000, "5 m 00 s"],
    [86_400_000 * 2 + 3_600_000 * 3, "2 d 3 h"],
  ])("a run of %d ms spans %s", (ms, text) => expect(spanOf(ms)).toBe(text));

  test("a wait is told in one unit", () => {
    expect([40_000, 240_000, 3 * 3_600_000, 5 * 86_400_000].map(waitOf)).toEqual(["40 s", "4 m", "3 h", "5 d"]);
  });

  test("places on the axis have tenths, and labels have none", () => {
    expect([0, 28_000, 148_449, 3_723_000].map(placeOf)).toEqual(["0:00.0", "0:28.0", "2:28.4", "1:02:03"]);
    expect([0, 30_000, 720_000, 5_400_000].map(labelOf)).toEqual(["0:00", "0:30", "12:00", "1:30:00"]);
  });

  test("a limit is told in the largest unit that fits", () => {
    expect([300_000, 60_000, 90_000, 7_200_000].map(limitOf)).toEqual([
      "5 minutes",
      "1 minute",
      "90 seconds",
      "2 hours",
    ]);
  });
});

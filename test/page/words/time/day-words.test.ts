import { expect, test } from "vitest";
import { nameOfDay, writingsOfDay } from "../../../../page/words/time/day-words.ts";
import { fits } from "../../../../page/frame/finder/found.ts";

const now = new Date(2025, 0, 20, 9, 42).getTime();

test("a day has its name, with the year where it isn't this one", () => {
  expect([nameOfDay("20250120", now), nameOfDay("20241231", now)]).toEqual([
    "Monday, 20 January",
    "Tuesday, 31 December 2024",
  ]);
});

test.each(["today", "20250120", "2025-01-20", "20.1.2025", "20 jan", "monday january 2025"])(
  "a day is found by “%s”",
  (text) => expect(fits(writingsOfDay("20250120", now), text)).toBe(true),
);

test("the day before today is yesterday, also just after midnight, and no other day is", () => {
  const late = new Date(2025, 0, 20, 0, 1).getTime();
  const days = ["20250118", "20250119", "20250120"];
  expect(days.filter((day) => fits(writingsOfDay(day, late), "yesterday"))).toEqual(["20250119"]);
});

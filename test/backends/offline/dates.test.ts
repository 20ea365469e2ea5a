import { expect, test } from "vitest";
import { dayInWords, daysAskedFor, daysOf, firstDayOf } from "../../../backends/offline/dates.ts";

/** A Thursday. */
const today = "20250109";

test.each([
  ["the digest of 20250107", "20250107", "20250107"],
  ["on 2025-01-07?", "20250107", "20250107"],
  ["from 2025-01-03 to 2025-01-07", "20250103", "20250107"],
  ["on 7 January", "20250107", "20250107"],
  ["on the 7th of January 2024", "20240107", "20240107"],
  ["Jan 7, 2024", "20240107", "20240107"],
  ["Was ist am 11. Januar 2025 passiert?", "20250111", "20250111"],
  ["am 3. März", "20250303", "20250303"],
  ["Que s’est-il passé le 11 janvier 2025 ?", "20250111", "20250111"],
  ["le 1er août 2024", "20240801", "20240801"],
  ["¿Qué pasó el 11 de enero de 2025?", "20250111", "20250111"],
  ["11.1.2025 oder 11/01/2025", "20250111", "20250111"],
  ["on 1/25/2025", "20250125", "20250125"],
  ["2025年1月11日に何がありましたか？", "20250111", "20250111"],
  ["2025 年 1 月 11 日发生了什么？", "20250111", "20250111"],
  ["1月7日に何があった？", "20250107", "20250107"],
  ["2025/1/11", "20250111", "20250111"],
  ["Was war gestern?", "20250108", "20250108"],
  ["昨日は何をした？", "20250108", "20250108"],
  ["What happened today?", "20250109", "20250109"],
  ["What happened yesterday?", "20250108", "20250108"],
  ["3 days ago", "20250106", "20250106"],
  ["on Monday", "20250106", "20250106"],
  ["last Thursday", "20250102", "20250102"],
  ["this week", "20250106", "20250112"],
  ["last week", "20241230", "20250105"],
  ["in the past week", "20250103", "20250109"],
  ["the last 3 days", "20250107", "20250109"],
  ["this month", "20250101", "20250131"],
  ["last month", "20241201", "20241231"],
  ["in December 2024", "20241201", "20241231"],
  ["and in February?", "20250201", "20250228"],
])("%s → %s to %s", (question, from, to) => {
  expect(daysAskedFor(question, today)).toEqual({ from, to });
});

test.each([
  "the garden",
  "20250230",
  "12345678901",
  "room 101 on March",
  "we may 40 times",
  "version 1.2.3",
  "10.0.0.1",
  "Mai 40",
])("%s names no day", (question) => {
  expect(daysAskedFor(question, today)).toBeUndefined();
});

test("yesterday is not a day where today isn't known", () => {
  expect(daysAskedFor("yesterday", undefined)).toBeUndefined();
});

test("today is what the context names first", () => {
  expect(firstDayOf("Now: Monday, 20 January 2025 at 09:00 (Europe/Berlin).\nThe day in question: 20250119.")).toBe(
    "20250120",
  );
});

test("the days of a range, unless they are too many", () => {
  expect(daysOf({ from: "20241231", to: "20250102" }, 7)).toEqual(["20241231", "20250101", "20250102"]);
  expect(daysOf({ from: "20240101", to: "20250101" }, 7)).toEqual([]);
});

test("a day in words", () => {
  expect(dayInWords("20250109")).toBe("Thursday 9 January 2025");
});

import { expect, test } from "vitest";
import {
  cellsOfFacet,
  dayMark,
  dayWords,
  lastGroup,
  missedWords,
  monthBy,
  monthWords,
  nextDays,
  nextWords,
  type ScheduledRun,
  stripWords,
  timesAMonth,
} from "../../../../page/words/time/schedule-words.ts";

const none = { upcoming: 0, done: 0, failed: 0, skipped: 0, missed: 0, late: 0, running: 0 };
const row: ScheduledRun = {
  day: "20250119",
  time: null,
  persona: "facet-newsletter",
  facet: null,
  state: "done",
  attempts: 1,
  agent_id: "1737331200000",
  reason: null,
  at: "2025-01-20T00:25:00Z",
};
const monday = Date.parse("2025-01-20T09:42:00Z");

test("a day shows its worst", () => {
  expect(dayMark(undefined)).toBe("none");
  expect(dayMark({ ...none, done: 2, failed: 1, upcoming: 1 })).toBe("failed");
  expect(dayMark({ ...none, skipped: 1, missed: 1 })).toBe("missed");
  expect(dayMark({ ...none, failed: 1, missed: 1 })).toBe("missed");
  expect(dayMark({ ...none, done: 1, late: 1 })).toBe("late");
  expect(dayMark({ ...none, done: 1, upcoming: 4 })).toBe("done");
  expect(dayMark({ ...none, upcoming: 4 })).toBe("to come");
  expect(dayMark({ ...none, skipped: 3 })).toBe("none");
});

test("a facet's days are its own rows", () => {
  const rows = [
    { ...row, facet: "garden" },
    { ...row, facet: "music", state: "failed" as const },
    { ...row, facet: "garden", day: "20250118", state: "skipped" as const, agent_id: null },
  ];
  const cells = cellsOfFacet(rows, "garden");
  expect([dayMark(cells.get("20250119")), dayMark(cells.get("20250118")), cells.size]).toEqual(["done", "none", 2]);
});

test("what came last is one day or time of all facets, without those that had nothing to do", () => {
  const rows = [
    { ...row, facet: "garden" },
    { ...row, facet: "quiet", state: "skipped" as const, agent_id: null },
    { ...row, facet: "garden", day: "20250118" },
  ];
  expect(lastGroup(rows)).toEqual([rows[0]]);
  expect(lastGroup([])).toEqual([]);
});

test("when something comes is told as people say it, in the machine's zone", () => {
  const next = (iso: string, zone = "UTC") => nextWords(iso, monday, zone);
  expect(next("2025-01-20T10:00:00Z")).toBe("10:00");
  expect(next("2025-01-20T23:30:00Z", "Europe/Berlin")).toBe("tomorrow 00:30");
  expect(next("2025-01-24T08:00:00Z")).toBe("Fri 08:00");
  expect(next("2025-02-01T09:00:00Z")).toBe("1 Feb 09:00");
  expect(nextDays(["2025-01-21T07:00:00Z", "2025-01-22T07:00:00Z", "2025-01-23T07:00:00Z"], monday, "UTC")).toBe(
    "tomorrow, Wednesday, Thursday",
  );
});

test("how often in a month follows from the next times", () => {
  expect(timesAMonth(["2025-01-21T07:00:00Z", "2025-01-22T07:00:00Z"])).toBe(30);
  expect(timesAMonth(["2025-01-21T07:00:00Z"])).toBeNull();
  expect(timesAMonth([])).toBeNull();
});

test("settings, days and months are words", () => {
  expect([missedWords("run-once"), missedWords("skip"), missedWords("run-within: 90")]).toEqual([
    "run once",
    "left out",
    "run once, at most 90 minutes late",
  ]);
  expect([dayWords("20250119"), monthWords("202501"), monthBy("202501", -1), monthBy("202512", 1)]).toEqual([
    "19 January",
    "January 2025",
    "202412",
    "202601",
  ]);
});

test("a strip is told by its marks", () => {
  const marks = [
    { day: "20250106", mark: "done" as const },
    { day: "20250107", mark: "failed" as const },
    { day: "20250108", mark: "none" as const },
  ];
  expect(stripWords("202501", marks)).toBe("January 2025: done on the 6, failed on the 7");
  expect(stripWords("202501", [])).toBe("January 2025: nothing");
});

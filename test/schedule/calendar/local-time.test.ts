import { expect, test } from "vitest";
import {
  addDays,
  dayExists,
  dayOfWall,
  endOfDay,
  instantOf,
  timeOfWall,
  wallAt,
} from "../../../schedule/calendar/local-time.ts";

const wall = (text: string) => Date.parse(`${text}Z`);
const iso = (ts: number) => new Date(ts).toISOString().slice(0, 16);

test.each([
  // No midnight: the day begins at 01:00.
  ["America/Santiago", "2025-09-07T00:00", "2025-09-07T04:00"],
  ["Asia/Beirut", "2025-03-30T00:00", "2025-03-29T22:00"],
  ["Asia/Beirut", "2025-03-30T00:30", "2025-03-29T22:00"],
  ["Africa/Cairo", "2025-04-25T00:00", "2025-04-24T22:00"],
  // Midnight comes twice.
  ["America/Havana", "2025-11-02T00:00", "2025-11-02T04:00"],
  ["America/Havana", "2025-11-02T00:59", "2025-11-02T04:59"],
  ["America/Havana", "2025-11-02T01:00", "2025-11-02T06:00"],
  // A day that there was not.
  ["Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59"],
  ["Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00"],
  ["Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00"],
  ["Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00"],
  // Half an hour.
  ["Australia/Lord_Howe", "2025-10-05T02:10", "2025-10-04T15:30"],
  ["Australia/Lord_Howe", "2025-10-05T02:30", "2025-10-04T15:30"],
  ["Australia/Lord_Howe", "2025-04-06T01:45", "2025-04-05T14:45"],
  ["Europe/Berlin", "2025-03-30T02:30", "2025-03-30T01:00"],
  ["Europe/Berlin", "2025-10-26T02:30", "2025-10-26T00:30"],
  ["UTC", "2025-01-09T00:00", "2025-01-09T00:00"],
])("in %s the clock shows %s first at %s UTC", (zone, shown, at) => {
  expect(iso(instantOf(wall(shown), zone))).toBe(at);
});

test.each([
  ["America/Santiago", "20250906", "2025-09-07T04:00"],
  ["America/Havana", "20251101", "2025-11-02T04:00"],
  ["America/Havana", "20251102", "2025-11-03T05:00"],
  ["Pacific/Apia", "20111229", "2011-12-30T10:00"],
  ["UTC", "20250228", "2025-03-01T00:00"],
])("in %s the day %s is over at %s UTC", (zone, day, at) => {
  expect(iso(endOfDay(day, zone))).toBe(at);
});

test("a day that a zone has left out doesn't exist, and those around it do", () => {
  const exist = ["20111229", "20111230", "20111231"].map((day) => dayExists(day, "Pacific/Apia"));
  expect(exist).toEqual([true, false, true]);
});

test("a wall clock is read as a day and a time, and days are counted over months and leap years", () => {
  const shown = wallAt(Date.parse("2025-03-29T23:30:59.999Z"), "Asia/Beirut");
  expect([dayOfWall(shown), timeOfWall(shown)]).toEqual(["20250330", "0230"]);
  expect([addDays("20240228", 1), addDays("20250228", 1), addDays("20250101", -1)]).toEqual([
    "20240229",
    "20250301",
    "20241231",
  ]);
});

import { expect, test } from "vitest";
import { ageOf, clockOf, clockWithSeconds, dayKey, dayName, whenOf } from "../../../../page/words/time/times.ts";

const zone = "Europe/Copenhagen";
const now = Date.UTC(2025, 0, 20, 8, 42); // Monday, 09:42 there

test("a time of day is that of the zone, also at midnight", () => {
  expect(clockOf(now, zone)).toBe("09:42");
  expect(clockOf(Date.UTC(2025, 0, 19, 23, 4), zone)).toBe("00:04");
  expect(clockWithSeconds(now + 5000, zone)).toBe("09:42:05");
});

test("a day has a name and a key of the zone", () => {
  expect(dayKey(Date.UTC(2025, 0, 19, 23, 4), zone)).toBe("20250120");
  expect(dayName(now, now, zone)).toBe("Monday, 20 January");
  expect(dayName(Date.UTC(2024, 11, 31, 12), now, zone)).toBe("Tuesday, 31 December 2024");
});

test("what ended today has a time, this week a weekday, before that a date", () => {
  const at = (...given: [number, number, number]) => ageOf(Date.UTC(...given, 12), now, zone);
  expect(ageOf(now - 480_000, now, zone)).toBe("09:34");
  expect(at(2025, 0, 19)).toBe("Sun");
  expect(at(2025, 0, 13)).toBe("13 Jan");
  expect(at(2024, 8, 14)).toBe("14 Sep 2024");
});

test("a sentence says today and yesterday", () => {
  expect(whenOf(now - 1_800_000, now, zone)).toBe("today, 09:12");
  expect(whenOf(now - 92_520_000, now, zone)).toBe("yesterday, 08:00");
  expect(whenOf(Date.UTC(2025, 0, 10, 7), now, zone)).toBe("10 Jan, 08:00");
});

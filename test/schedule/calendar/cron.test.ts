import { expect, test } from "vitest";
import { nextOccurrence, parseCron, occurrencesBetween } from "../../../schedule/calendar/cron.ts";

const at = (text: string) => Date.parse(`${text}Z`);

/** The occurrences in a span, each as its name and the UTC time when it comes. */
function occurrences(expression: string, zone: string, from: string, to: string): string[] {
  return occurrencesBetween(parseCron(expression), at(from), at(to), zone).map(
    (one) => `${one.day} ${one.time} ${new Date(one.at).toISOString().slice(11, 16)}`,
  );
}

test.each([
  [
    "*/30 9-10 * * 1-5",
    "UTC",
    "2025-01-09T09:00",
    "2025-01-12T00:00",
    [
      "20250109 0930 09:30",
      "20250109 1000 10:00",
      "20250109 1030 10:30",
      "20250110 0900 09:00",
      "20250110 0930 09:30",
      "20250110 1000 10:00",
      "20250110 1030 10:30",
    ],
  ],
  // Day of month or day of week, where both are said.
  [
    "0 0 1,15 * mon",
    "UTC",
    "2025-01-12T12:00",
    "2025-01-20T12:00",
    ["20250113 0000 00:00", "20250115 0000 00:00", "20250120 0000 00:00"],
  ],
  ["0 0 */2 * mon", "UTC", "2025-01-12T12:00", "2025-01-28T12:00", ["20250113 0000 00:00", "20250127 0000 00:00"]],
  ["0 12 29 2 *", "UTC", "2023-01-01T00:00", "2025-01-01T00:00", ["20240229 1200 12:00"]],
  ["0 8 * * 7", "Europe/Berlin", "2025-01-11T00:00", "2025-01-14T00:00", ["20250112 0800 07:00"]],
  // Times that don't exist come when the clock has jumped, once.
  [
    "30 2 * * *",
    "Europe/Berlin",
    "2025-03-29T00:00",
    "2025-03-31T12:00",
    ["20250329 0230 01:30", "20250330 0230 01:00", "20250331 0230 00:30"],
  ],
  ["*/20 2 30 3 *", "Europe/Berlin", "2025-03-29T00:00", "2025-03-31T12:00", ["20250330 0240 01:00"]],
  [
    "0 0 * * *",
    "America/Santiago",
    "2025-09-06T12:00",
    "2025-09-08T12:00",
    ["20250907 0000 04:00", "20250908 0000 03:00"],
  ],
  ["15 0 * * *", "Asia/Beirut", "2025-03-29T12:00", "2025-03-30T12:00", ["20250330 0015 22:00"]],
  ["0 0 * * *", "Africa/Cairo", "2025-04-24T12:00", "2025-04-25T12:00", ["20250425 0000 22:00"]],
  ["5 2 * * *", "Australia/Lord_Howe", "2025-10-04T12:00", "2025-10-05T12:00", ["20251005 0205 15:30"]],
  [
    "0 12 * * *",
    "Pacific/Apia",
    "2011-12-29T12:00",
    "2012-01-01T00:00",
    ["20111229 1200 22:00", "20111230 1200 10:00", "20111231 1200 22:00", "20120101 1200 22:00"],
  ],
  // Times that come twice come once, the first time.
  [
    "30 0 * * *",
    "America/Havana",
    "2025-11-01T12:00",
    "2025-11-03T12:00",
    ["20251102 0030 04:30", "20251103 0030 05:30"],
  ],
  [
    "*/30 * * * *",
    "America/Havana",
    "2025-11-02T03:30",
    "2025-11-02T06:30",
    ["20251102 0000 04:00", "20251102 0030 04:30", "20251102 0100 06:00", "20251102 0130 06:30"],
  ],
  ["45 1 * * *", "Australia/Lord_Howe", "2025-04-05T00:00", "2025-04-06T00:00", ["20250406 0145 14:45"]],
])("%s in %s, %s to %s", (expression, zone, from, to, expected) => {
  expect(occurrences(expression, zone, from, to)).toEqual(expected);
});

test("looked at again and again, a day of each kind has the same occurrences as looked at once", () => {
  for (const [zone, from] of [
    ["America/Havana", "2025-11-02T03:00"],
    ["Europe/Berlin", "2025-03-29T22:00"],
    ["UTC", "2025-01-09T00:00"],
  ] as const) {
    const cron = parseCron("*/10 * * * *");
    const [begin, end] = [at(from), at(from) + 6 * 3_600_000];
    const seen = [];
    for (let ts = begin; ts < end; ts += 1_090_000)
      seen.push(...occurrencesBetween(cron, ts, Math.min(ts + 1_090_000, end), zone));
    expect(seen.map((one) => one.at)).toEqual(occurrencesBetween(cron, begin, end, zone).map((one) => one.at));
  }
});

test.each([
  ["* * * *", "expected five fields"],
  ["* * * * * *", "expected five fields"],
  ["99 * * * *", "99 is a invalid expression for minute"],
  ["0 0 31 2 *", "impossible day of month"],
  ["0 0 L * *", 'day of month: expected numbers, ranges, lists or steps, got "L"'],
  ["0 0 * * 5#2", 'day of week: expected numbers, ranges, lists or steps, got "5#2"'],
  ["a b c d e", "a is a invalid expression for minute"],
])('"%s" is refused: %s', (expression, message) => {
  expect(() => parseCron(expression)).toThrow(message);
});

test("the next occurrence is found across months, and a leap day across years", () => {
  const next = (expression: string, after: string) => {
    const found = nextOccurrence(parseCron(expression), at(after), "UTC");
    return found === null ? null : new Date(found).toISOString();
  };
  expect(next("*/15 * * * *", "2025-01-31T23:50")).toBe("2025-02-01T00:00:00.000Z");
  expect(next("0 12 29 2 *", "2096-03-01T00:00")).toBe("2104-02-29T12:00:00.000Z");
});

import { expect, test } from "vitest";
import { retryAfterMs } from "../../../backends/provider/retry-after.ts";

const now = Date.UTC(2025, 0, 9, 12, 0, 0);

test.each([
  ["seconds", { "retry-after": "7" }, 7_000],
  ["parts of seconds", { "retry-after": "0.5" }, 500],
  ["an HTTP date", { "retry-after": "Thu, 09 Jan 2025 12:00:30 GMT" }, 30_000],
  ["a date that has passed", { "retry-after": "Thu, 09 Jan 2025 11:00:00 GMT" }, 0],
  ["milliseconds", { "retry-after-ms": "1500" }, 1_500],
  ["milliseconds before seconds", { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
  ["nothing", {}, undefined],
  ["nonsense", { "retry-after": "soon" }, undefined],
  ["a negative number", { "retry-after": "-5 bananas" }, undefined],
] as const)("%s", (_, headers, expected) => {
  expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
});

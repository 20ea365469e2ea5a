import { expect, test } from "vitest";
import { PeakConcurrency } from "../../../cortex/process/peak-concurrency.ts";
import { mostWarm } from "../../../cortex/process/warm-size.ts";

test("as many are wanted as were taken within a second, and for ten minutes", () => {
  let now = 0;
  const concurrency = new PeakConcurrency(() => now);
  expect(concurrency.target).toBe(0);
  for (const at of [0, 10, 900, 5000]) {
    now = at;
    concurrency.taken();
  }
  expect(concurrency.target).toBe(3);
  now = 900 + 9 * 60_000;
  expect(concurrency.target).toBe(3);
  now = 900 + 11 * 60_000;
  expect(concurrency.target).toBe(1);
  now += 11 * 60_000;
  expect(concurrency.target).toBe(0);
});

test("a process that is always wanted stays", () => {
  let now = 0;
  const concurrency = new PeakConcurrency(() => now);
  concurrency.raise(1);
  concurrency.taken();
  concurrency.taken();
  expect(concurrency.target).toBe(2);
  now = 3_600_000;
  expect(concurrency.target).toBe(1);
});

test("as many may wait as may run, as far as an eighth of the memory goes, unless the settings say", () => {
  const gibibyte = 1024 ** 3;
  expect(mostWarm({}, 4, 24 * gibibyte)).toBe(4);
  expect(mostWarm({}, 1000, 4 * gibibyte)).toBe(8);
  expect(mostWarm({ max_warm: 0 }, 4, 24 * gibibyte)).toBe(0);
});

/**
 * The schedule under many interleavings: schedulers on several hosts, clocks that are set, a bus that is away. Each decided by
 * its seed, and seen to catch what is wrong. `SCHEDULE_SEED=n npm run simulate` prints what happened in one.
 */
import { expect, test } from "vitest";
import type { ScheduleRules } from "./rules.ts";
import { simulateSchedule } from "./scenario.ts";
import { patienceMs } from "../../support/patience.ts";

const interleavings = Math.ceil(Number(process.env["INTERLEAVINGS"] ?? 4_000) / 10);
// The same ones each time: new ones are for `npm run simulate`.
const first = Number(process.env["FIRST"] ?? 1);

/** Simulates until something is wrong. Returns its first words, with the seed. */
async function firstWrong(from: number, count: number, broken: Partial<ScheduleRules> = {}): Promise<string | null> {
  for (let seed = from; seed < from + count; seed++) {
    const { violations } = await simulateSchedule(seed, broken);
    if (violations.length > 0) return `SCHEDULE_SEED=${seed}: ${violations[0]}`;
  }
  return null;
}

test(`${interleavings} interleavings from seed ${first} on: what is due is done once, or told as missed`, {
  timeout: patienceMs + interleavings * 60,
}, async () => {
  expect(await firstWrong(first, interleavings)).toBe(null);
});

test("the same seed is the same story", async () => {
  const once = await simulateSchedule(first, {}, true);
  expect(once.trace.length).toBeGreaterThan(3);
  expect(await simulateSchedule(first, {}, true)).toEqual(once);
});

test.each<keyof ScheduleRules>(["queue", "record", "cursor", "decideOnce", "sameOnce"])(
  "a ledger that breaks the rule %s is caught",
  { timeout: 180_000 },
  async (rule) => {
    expect(await firstWrong(1, 3000, { [rule]: false })).not.toBe(null);
  },
);

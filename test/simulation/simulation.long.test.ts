/**
 * The protocol of claims under thousands of interleavings, each decided by its seed, and seen to catch what is wrong.
 * `SEED=n npm run simulate` prints what happened in one.
 */
import { expect, test } from "vitest";
import { simulate } from "./scenario.ts";
import type { Rules } from "./rules.ts";
import { patienceMs } from "../support/patience.ts";

const interleavings = Number(process.env["INTERLEAVINGS"] ?? 1000);
// The same ones each time: new ones are for `npm run simulate`.
const first = Number(process.env["FIRST"] ?? 1);

/** Simulates until something is wrong. Returns its first words, with the seed. */
async function firstWrong(from: number, count: number, broken: Partial<Rules> = {}): Promise<string | null> {
  for (let seed = from; seed < from + count; seed++) {
    const { violations } = await simulate(seed, broken);
    if (violations.length > 0) return `SEED=${seed}: ${violations[0]}`;
  }
  return null;
}

test(`${interleavings} interleavings from seed ${first} on: each request ends once, whatever happens`, {
  timeout: patienceMs + interleavings * 60,
}, async () => {
  expect(await firstWrong(first, interleavings)).toBe(null);
});

test("the same seed is the same story", async () => {
  const once = await simulate(first, {}, true);
  expect(once.trace.length).toBeGreaterThan(3);
  expect(await simulate(first, {}, true)).toEqual(once);
});

test.each<[keyof Rules, RegExp]>([
  ["ackAfterRecord", /has no end/],
  ["compareAndSet", /./],
  ["waitForLost", /./],
  ["begin", /./],
  ["startedMarker", /was started again/],
  ["publishOnLease", /was said under epoch/],
  ["confirm", /./],
  ["askLedger", /./],
  ["heldUpTo", /are started, and/],
  ["ledgerFirst", /./],
])("a worker that breaks the rule %s is caught", { timeout: 120_000 }, async (rule, what) => {
  expect(await firstWrong(1, 3000, { [rule]: false })).toMatch(what);
});

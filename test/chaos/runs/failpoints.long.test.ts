/**
 * The kills at each failpoint: each request ends once, and nothing is left. A few cases; `npm run chaos` runs a
 * thousand.
 */
import { expect, test } from "vitest";
import { type Done, runMatrix } from "./matrix.ts";
import { toldCase } from "./told-case.ts";

const seed = Math.floor(Math.random() * 1_000_000);
/** The last of them is one over a whole `cortex up`. */
const numbers = [0, 1, 2, 3];

test(`seed ${seed}: killed with -9 at a failpoint, each request ends once`, { timeout: 600_000 }, async () => {
  const done: Done[] = [];
  await runMatrix({ seed, numbers, lanes: 1, onDone: (one) => done.push(one) });
  expect(done.filter(({ problems }) => problems.length > 0).map((one) => toldCase(seed, one))).toEqual([]);
  expect(done).toHaveLength(numbers.length);
});

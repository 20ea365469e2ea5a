/**
 * Whatever is killed at whichever durable point: each request ends once, and nothing is left. A sample; `npm run chaos` runs
 * as many as are wanted. `CHAOS_SEED` and `CHAOS_CASE` repeat one.
 */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Case, caseOf } from "./cases.ts";
import { type ChaosSystem, startChaosSystem, victims } from "./chaos-system.ts";
import { runCase } from "./run-case.ts";
import { tableOf } from "./table-of.ts";

const cases = Number(process.env["CHAOS_CASES"] ?? 4);
const seed = Number(process.env["CHAOS_SEED"] ?? Math.floor(Math.random() * 1_000_000));
const only = process.env["CHAOS_CASE"];
const systems = cases > 8 && only === undefined ? 2 : 1;
/** A system's store and journal grow: after so many cases another takes its place. */
const casesOfSystem = 100;

test(`seed ${seed}: killed with -9 at a durable point, each request ends once`, {
  timeout: 180_000 + cases * 30_000,
}, async () => {
  const left = only === undefined ? Array.from({ length: cases }, (_, index) => index) : [Number(only)];
  const done: (Case & { isReached: boolean; problems: string[] })[] = [];
  const work = async () => {
    let chaos: ChaosSystem | null = null;
    let until = 0;
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      chaos ??= await startChaosSystem();
      const one = caseOf(seed, number, victims);
      const outcome = await runCase(chaos, one);
      done.push({ ...one, ...outcome });
      if (outcome.problems.length > 0)
        process.stdout.write(
          `${told(one)}\n  ${outcome.problems.join("\n  ")}\n  the log: ${keepLog(chaos, number)}\n`,
        );
      if (++until % casesOfSystem !== 0 && outcome.problems.length === 0) continue;
      await close(chaos, one);
      chaos = null;
    }
    await chaos?.[Symbol.asyncDispose]();
  };
  await Promise.all(Array.from({ length: systems }, work));
  process.stdout.write(`chaos, seed ${seed}: ${done.length} cases\n${tableOf(done)}`);
  expect(done.filter(({ problems }) => problems.length > 0).map(told)).toEqual([]);
});

const told = ({ number, kind, point, times, killed }: Case) =>
  `CHAOS_SEED=${seed} CHAOS_CASE=${number}: ${kind}, "${point}" ${times}, killed ${killed.join(", ")}`;

function keepLog({ system }: ChaosSystem, number: number): string {
  const path = join(tmpdir(), `chaos-${seed}-${number}.log`);
  writeFileSync(path, system.log);
  return path;
}

/** What is wrong with it was told. */
async function close(chaos: ChaosSystem, last: Case): Promise<void> {
  try {
    await chaos[Symbol.asyncDispose]();
  } catch (error) {
    process.stdout.write(`after ${told(last)}: ${String(error)}\n`);
  }
}

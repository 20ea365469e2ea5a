/**
 * `npm run simulate`: 100,000 interleavings of claims, from a seed on, on all cores, and a tenth as many of the schedule.
 * `INTERLEAVINGS=n` for more or fewer, `FIRST=n` for the first seed; `SEED=n`, or `SCHEDULE_SEED=n`, repeats one and prints
 * what happened in it.
 */
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type SimulationOutcome, simulate } from "./scenario.ts";
import { simulateSchedule } from "./schedule/scenario.ts";

/** The share of a thread, and what comes of it. */
type Share = { first: number; count: number };
type Result = { interleavings: number; runs: number; bad: string[] };

/** One in so many seeds tells of the schedule as well. */
const scheduleEvery = 10;
/** Megabytes for what lives for moments: it is cleared away more cheaply where there is room for much of it. */
const youngMb = 64;

/** After so many that are wrong nobody wants to see more. */
const mostBad = 10;

async function simulateAll({ first, count }: Share): Promise<Result> {
  const result: Result = { interleavings: 0, runs: 0, bad: [] };
  const add = ({ runs, violations }: SimulationOutcome, name: string) => {
    result.interleavings++;
    result.runs += runs;
    if (violations.length > 0) result.bad.push(`${name}: ${violations[0]}`);
  };
  for (let seed = first; seed < first + count && result.bad.length < mostBad; seed++) {
    add(await simulate(seed), `SEED=${seed}`);
    if (seed % scheduleEvery === 0) add(await simulateSchedule(seed), `SCHEDULE_SEED=${seed}`);
  }
  return result;
}

async function main(): Promise<void> {
  const count = Number(process.env["INTERLEAVINGS"] ?? 100_000);
  const first = Number(process.env["FIRST"] ?? Date.now() % 1_000_000_000);
  const threads = availableParallelism();
  const each = Math.ceil(count / threads);
  const since = performance.now();
  const work = Array.from({ length: threads }, (_, thread) => {
    const share: Share = { first: first + thread * each, count: each };
    const worker = new Worker(new URL(import.meta.url), {
      workerData: share,
      env: {}, // which is asked for often, and slowly
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    return new Promise<Result>((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
  const results = await Promise.all(work);
  const bad = results.flatMap((result) => result.bad);
  for (const text of bad) process.stdout.write(`${text}\n`);
  const sum = (of: "interleavings" | "runs") => results.reduce((total, result) => total + result[of], 0);
  const seconds = (performance.now() - since) / 1000;
  process.stdout.write(
    `${sum("interleavings")} interleavings from seed ${first} on, ${sum("runs")} runs, ${bad.length} with something wrong, ${seconds.toFixed(1)} s\n`,
  );
  process.exitCode = bad.length > 0 ? 1 : 0;
}

/** Prints what happens in one. */
function repeat({ violations, trace }: SimulationOutcome): void {
  process.stdout.write(`${trace.join("\n")}\n${violations.join("\n") || "nothing is wrong"}\n`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}

const { SEED: seed, SCHEDULE_SEED: scheduleSeed } = process.env;
if (!isMainThread) parentPort?.postMessage(await simulateAll(workerData as Share));
else if (seed !== undefined) repeat(await simulate(Number(seed), {}, true));
else if (scheduleSeed !== undefined) repeat(await simulateSchedule(Number(scheduleSeed), {}, true));
else await main();

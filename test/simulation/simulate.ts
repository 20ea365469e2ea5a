/**
 * `npm run simulate`: 100,000 interleavings, from a seed on, on all cores. `INTERLEAVINGS=n` for more or fewer, `FIRST=n` for
 * the first seed; `SEED=n` repeats one and prints what happened in it.
 */
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { simulate } from "./scenario.ts";

/** What a thread does, and what comes of it. */
type Share = { first: number; count: number };
type Result = { runs: number; bad: string[] };

/** After so many that are wrong nobody wants to see more. */
const mostBad = 10;

async function simulateAll({ first, count }: Share): Promise<Result> {
  const result: Result = { runs: 0, bad: [] };
  for (let seed = first; seed < first + count && result.bad.length < mostBad; seed++) {
    const { runs, violations } = await simulate(seed);
    result.runs += runs;
    if (violations.length > 0) result.bad.push(`SEED=${seed}: ${violations[0]}`);
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
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    return new Promise<Result>((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
  const results = await Promise.all(work);
  const bad = results.flatMap((result) => result.bad);
  for (const text of bad) process.stdout.write(`${text}\n`);
  const runs = results.reduce((sum, result) => sum + result.runs, 0);
  const seconds = (performance.now() - since) / 1000;
  process.stdout.write(
    `${threads * each} interleavings from seed ${first} on, ${runs} runs, ${bad.length} with something wrong, ${seconds.toFixed(1)} s\n`,
  );
  process.exitCode = bad.length > 0 ? 1 : 0;
}

async function repeat(seed: number): Promise<void> {
  const { violations, trace } = await simulate(seed, {}, true);
  process.stdout.write(`${trace.join("\n")}\n${violations.join("\n") || "nothing is wrong"}\n`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}

const only = process.env["SEED"];
if (!isMainThread) parentPort?.postMessage(await simulateAll(workerData as Share));
else if (only !== undefined) await repeat(Number(only));
else await main();

/** Watches what all runs here use of the machine, and says so when one uses more than it may. */
import { agentOf, levelOf } from "../../proc/runs/run.ts";
import { type Measured, type RunUsage, pssBytes, UsageMeter } from "../../proc/runs/run-usage.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";

/** Between two looks. A run that eats memory as fast as a machine gives it gets about a gigabyte in that time. */
const lookMs = 500;

const mebibyte = 1024 * 1024;

/** @field atOnce: to ask it, and to wait, would let it take more */
export type Exceeded = { error: string; atOnce?: true };

type Watched = {
  folder: string;
  limits: ResourceLimits;
  /** Processes and threads of it that aren't the agent's. */
  besides: number;
  onLimit: (exceeded: Exceeded) => void;
  /** Once its agent is born. */
  run: Measured | null;
};

/** One for all runs: a look costs hardly more for many than for one. */
export class ResourceWatch {
  readonly #meter = new UsageMeter();
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * Watches a run until it is disposed of, or has reached a limit.
   * @param folder of the attempt
   * @param onLimit hears once which limit it was
   * @param besides how many of its processes and threads aren't the agent's, but its wall's
   */
  over(folder: string, limits: ResourceLimits, onLimit: (exceeded: Exceeded) => void, besides = 0): Disposable {
    const watched: Watched = { folder, limits, besides, onLimit, run: null };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#checkRuns(), lookMs);
    return { [Symbol.dispose]: () => this.#unwatch(watched) };
  }

  #unwatch(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #checkRuns(): void {
    const born = new Map<Watched, Measured>();
    for (const watched of this.#watched) {
      watched.run ??= bornIn(watched.folder);
      if (watched.run) born.set(watched, watched.run);
    }
    if (born.size === 0) return;
    for (const [watched, measured] of this.#meter.measure(born)) {
      const usage = { ...measured, tasks: measured.tasks - watched.besides };
      const reached = exceeded(usage, watched.limits, () => (watched.run ? pssBytes(watched.run) : 0));
      if (reached === null) continue;
      this.#unwatch(watched);
      watched.onLimit(reached);
    }
  }
}

function bornIn(folder: string): Measured | null {
  const agent = agentOf(folder);
  return agent && { agent, inNamespace: levelOf(folder) === "pidns" };
}

/** Which limit is exceeded, or null. @param exactBytes its memory without what is counted twice */
function exceeded(usage: RunUsage, limits: ResourceLimits, exactBytes: () => number): Exceeded | null {
  const { max_memory_mb, max_processes, max_cpu_seconds } = limits;
  if (max_processes !== undefined && usage.tasks > max_processes)
    return {
      error: `had ${usage.tasks} processes and threads, the limit max_processes is ${max_processes}`,
      atOnce: true,
    };
  if (max_cpu_seconds !== undefined && usage.cpuSeconds >= max_cpu_seconds)
    return {
      error: `used ${usage.cpuSeconds.toFixed(1)} s of CPU time, the limit max_cpu_seconds is ${max_cpu_seconds}`,
    };
  if (max_memory_mb === undefined || usage.memoryBytes <= max_memory_mb * mebibyte) return null;
  const exact = exactBytes();
  if (exact <= max_memory_mb * mebibyte) return null;
  const error = `used ${Math.ceil(exact / mebibyte)} MiB of memory, the limit max_memory_mb is ${max_memory_mb}`;
  return { error, atOnce: true };
}

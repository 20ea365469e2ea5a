/**
 * The health of a system after each case, and after all of them: nothing died, work goes on, memory is flat, nothing is
 * tried again and again.
 */
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../support/journal-processes.ts";
import type { FuzzSystem } from "./fuzz-system.ts";

export type Programs = ReturnType<FuzzSystem["programs"]>;

/** How much more a program may hold than soon after its start, in MiB: a heap grows until it is collected. */
const mostGrowthMiB = 384;
/** Something that is tried again is tried again within this time: the longest pause between two tries in a loop of ours is 5 s. */
const quietMs = 7_000;
const becomesQuietMs = 90_000;
/** Share of a core that a program may take while there is nothing to do. */
const mostIdle = 0.25;

/**
 * Looks at the programs, and has a run of its own.
 * @throws Error that says what is wrong
 */
export async function lookAt(system: FuzzSystem, before: Programs, mayHaveRestarted: boolean): Promise<void> {
  const areReady = () => system.programs().every(({ state }) => state === "ready");
  if (mayHaveRestarted) await system.until(areReady, "all programs are ready again");
  const now = system.programs();
  const wrong = now.flatMap((program) => {
    const was = before.find(({ name }) => name === program.name);
    if (program.state !== "ready") return `${program.name} is ${program.state}`;
    if (!mayHaveRestarted && was?.pid !== program.pid) return `${program.name} was started again`;
    return [];
  });
  if (wrong.length > 0) throw new Error(wrong.join(", "));
  const fresh = () => system.clients.run(system.nextId(), { prompt: "look", backend: "ok" });
  // Settings that were put right are read again a moment later: until then a run may fail by them, or be refused.
  const isWell = () =>
    fresh().then(
      ({ event }) => event === "finish",
      () => false,
    );
  if (mayHaveRestarted) await system.until(isWell, "a fresh run works again");
  const { event, ...rest } = await fresh();
  if (event !== "finish") throw new Error(`a fresh run ended in ${event}: ${JSON.stringify(rest).slice(0, 300)}`);
}

/** Resident memory by program, in MiB. */
export function memoryOf(system: FuzzSystem): Map<string, number> {
  return new Map(
    system.programs().map(({ name, pid }) => {
      const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
      return [name, Math.round(Number(kib) / 1024)];
    }),
  );
}

export function growthProblems(before: Map<string, number>, after: Map<string, number>): string[] {
  return [...after].flatMap(([name, mib]) =>
    mib > (before.get(name) ?? mib) + mostGrowthMiB ? [`${name} holds ${mib} MiB, after ${before.get(name)} MiB`] : [],
  );
}

/**
 * Waits until nothing is under way and nobody logs that something went wrong again.
 * @throws Error with who isn't quiet, and what it says
 */
export async function becomeQuiet(system: FuzzSystem): Promise<void> {
  let busy: string[] = [];
  for (const end = performance.now() + becomesQuietMs; performance.now() < end; ) {
    busy = await busyFor(system, quietMs);
    if (busy.length === 0) return;
  }
  throw new Error(`not quiet after ${becomesQuietMs / 1000} s: ${busy.join("; ").slice(0, 2_000)}`);
}

async function busyFor(system: FuzzSystem, ms: number): Promise<string[]> {
  const look = () =>
    system.programs().map(({ name, pid }) => ({ name, cpuMs: cpuMsOf(pid), complaints: complaintsOf(system, name) }));
  const before = look();
  await delay(ms);
  const after = look();
  const { running = [], queued = 0 } = system.clients.status ?? {};
  const going = running.length + queued > 0 ? [`${running.length} runs and ${queued} requests`] : [];
  const programs = after.flatMap(({ name, cpuMs, complaints }) => {
    const was = before.find((program) => program.name === name);
    const news = complaints.slice(was?.complaints.length ?? 0);
    return [
      ...(cpuMs - (was?.cpuMs ?? 0) > mostIdle * ms
        ? [`${name} took ${cpuMs - (was?.cpuMs ?? 0)} ms of CPU in ${ms}`]
        : []),
      ...(news.length > 0 ? [`${name} says ${news[0]}`] : []),
    ];
  });
  return [...going, ...programs];
}

/** Warnings and errors are logged with 40 and more. */
const complaintsOf = (system: FuzzSystem, name: string) =>
  system.logLines(name).filter((line) => /"level":([4-9]\d)/.test(line));

/** User and system time of a process: fields 14 and 15 of its stat, in ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /, "")
    .split(" ");
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

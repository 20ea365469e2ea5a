/** How much of the machine a run may take: what the settings allow, or less, where its persona or its request wants less. Pure. */
import { cpuTimeUsedUp } from "../../proc/runs/run.ts";
import type { Limits } from "../../protocol/runs/request/request.ts";
import type { CrashCause } from "../model/run-state.ts";

export const resourceNames = ["max_memory_mb", "max_processes", "max_open_files", "max_cpu_seconds"] as const;
export type ResourceName = (typeof resourceNames)[number];
export type ResourceLimits = { [Name in ResourceName]?: number | undefined };

/** The limits that hold where the settings say nothing. */
export type ResourceDefaults = ResourceLimits;

const mebibyte = 1024 * 1024;

/**
 * Half of the memory, so that one run alone can't take it all; enough threads for some Node programs with their workers; no
 * limit on CPU time, since the wall clock is one.
 */
export function defaultResources(machineBytes: number): ResourceDefaults {
  const max_memory_mb = Math.max(256, Math.floor(machineBytes / mebibyte / 2));
  return { max_memory_mb, max_processes: 1024, max_open_files: 4096 };
}

/** The limits that settings cap for good: those of the machine, and how much a run may print. */
export const cappedNames = [...resourceNames, "max_output_bytes"] as const;
type Capped<Name extends (typeof cappedNames)[number]> = { [Each in Name]?: number | undefined };

/** The limits of the machine that a run wants, none above what is allowed, and a note of each that was lowered. */
export const loweredLimits = (wanted: Limits, settings: Limits | undefined, defaults: ResourceDefaults) =>
  cappedLimits(resourceNames, wanted, { ...defaults, ...settings });

/** The limits of these names that a run wants, none above the most that there is, and a note of each that was lowered. */
export function cappedLimits<Name extends (typeof cappedNames)[number]>(
  names: readonly Name[],
  wanted: Capped<Name>,
  allowed: Capped<Name>,
): { limits: Capped<Name>; notes: string[] } {
  const limits: Capped<Name> = {};
  const notes: string[] = [];
  for (const name of names) {
    const most = allowed[name];
    const want = wanted[name];
    if (want === undefined) continue;
    limits[name] = Math.min(want, most ?? want);
    if (most !== undefined && want > most) notes.push(`${name} is ${most}, not ${want}: no run may have more here`);
  }
  return { limits, notes };
}

/** Finds the limit that ended a process, as far as exit code and stderr tell. */
export function causeOf(code: number | null, trace: string, limits: ResourceLimits): CrashCause | null {
  const { max_cpu_seconds, max_open_files, max_processes } = limits;
  if (code === null || code === 0) return null;
  if (code === cpuTimeUsedUp && max_cpu_seconds !== undefined)
    return { reason: "budget", error: `used up its CPU time, the limit max_cpu_seconds is ${max_cpu_seconds}` };
  const crash = (why: string): CrashCause => ({ reason: "crash", error: `exited with code ${code}: ${why}` });
  if (code === killed) return crash("killed from outside, by the kernel if the machine had no memory left");
  // The programs are anybody's: of a limit that they ran into they tell in their stderr alone. It is a crash all the same.
  if (/EMFILE|too many open files/i.test(trace))
    return crash(`too many open files, max_open_files is ${max_open_files}`);
  if (/EAGAIN|cannot fork|resource temporarily unavailable/i.test(trace))
    return crash(`it may have had too many processes, max_processes is ${max_processes}`);
  return null;
}

/** A shell's word for a process that KILL has ended. */
const killed = 128 + 9;

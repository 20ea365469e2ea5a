/** The usage of processes: CPU and memory, as `/proc` tells it. Linux. */
import { textOf } from "../../test/support/journal-processes.ts";

/** Linux counts CPU time for programs in hundredths of a second, whatever it counts in itself. */
const tickMs = 10;

/**
 * CPU that processes have used, in ms, and with it all that those used which they started, waited for, and which have
 * ended. To the nearest 10 ms each, so measure many runs at once.
 */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticks(pid, 11, 12, 13, 14), 0) * tickMs;
}

/** CPU of processes that have ended: of those that a process started, or that came to it when their parents had gone. */
export function cpuOfEnded(pid: number): number {
  return ticks(pid, 13, 14) * tickMs;
}

/** The process that those come to whose parents have gone. In a namespace of its own (`main.ts`) only what we measure. */
export const firstProcess = 1;

/** Fields of `/proc/<pid>/stat`, counted behind the program's name: utime, stime, cutime, cstime. */
function ticks(pid: number, ...fields: number[]): number {
  const stat = textOf(`/proc/${pid}/stat`);
  const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.reduce((sum, field) => sum + Number(values[field] ?? 0), 0);
}

/** The memory of processes, in MiB, as PSS: shared pages are divided among all who share them. */
export function memoryOf(pids: readonly number[]): number {
  const kib = pids.map((pid) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, value) => sum + value, 0) / 1024;
}

/** Reads the resident memory of a process, in MiB. */
export function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The most that a process ever had resident, in MiB. */
export function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The memory that this machine could still give, in MiB. */
export function freeMemory(): number {
  return Number(/MemAvailable:\s+(\d+)/.exec(textOf("/proc/meminfo"))?.[1] ?? 0) / 1024;
}

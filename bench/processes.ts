/** What processes use: CPU as a control group counts it, memory as the kernel shares it out. Linux. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Counts the CPU of processes and of all that they start, the short-lived ones too. */
export class CpuMeter implements Disposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** A meter for these processes, or null where the system gives no control group: it needs cgroup v2 and root. */
  static over(name: string, ...pids: number[]): CpuMeter | null {
    const root = /^\S+ (\S+) cgroup2 /m.exec(readFileSync("/proc/mounts", "utf8"))?.[1];
    if (root === undefined) return null;
    const folder = join(root, `cortex-bench-${name}-${process.pid}`);
    try {
      mkdirSync(folder);
      for (const pid of pids) writeFileSync(join(folder, "cgroup.procs"), String(pid));
      readFileSync(join(folder, "cpu.stat"));
      return new CpuMeter(folder);
    } catch {
      return null;
    }
  }

  /** A command that is counted as well. */
  counted(command: string[]): string[] {
    return ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', join(this.#folder, "cgroup.procs"), ...command];
  }

  /** Since the beginning, in ms. */
  get ms(): number {
    return Number(/usage_usec (\d+)/.exec(readFileSync(join(this.#folder, "cpu.stat"), "utf8"))?.[1]) / 1000;
  }

  /** What still runs goes back to where it was. */
  [Symbol.dispose](): void {
    const left = readFileSync(join(this.#folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean);
    for (const pid of left) writeFileSync(join(dirname(this.#folder), "cgroup.procs"), pid);
    rmdirSync(this.#folder);
  }
}

/** A process and all below it. */
export function treeOf(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const tree = [pid];
  for (const member of tree) tree.push(...parents.filter(({ parent }) => parent === member).map((entry) => entry.pid));
  return tree;
}

function parentOf(pid: string): number | null {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === "" ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The memory of processes, in MiB: what they share is shared out among all who share it (PSS). */
export function memoryOf(pids: number[]): number {
  const kib = pids.map((pid) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, value) => sum + value, 0) / 1024;
}

/** The most that a process ever had resident, in MiB. */
export function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

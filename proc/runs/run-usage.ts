/**
 * The usage of the machine by runs, each with all its processes: memory, CPU time, tasks. Linux; elsewhere nothing is
 * known.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { ProcessIdentity } from "../processes/identity.ts";

export type RunUsage = {
  /** The resident memory of its processes; shared pages are divided among them (PSS) only once it matters. */
  memoryBytes: number;
  cpuSeconds: number;
  /** Processes and threads. */
  tasks: number;
};

/** @field inNamespace whether the run has a PID namespace: then whatever its parent is above belongs to it */
export type Measured = { agent: ProcessIdentity; inNamespace: boolean };

/** A process, by its fields of proc(5): times in ticks, memory in pages. */
type Process = {
  pid: number;
  parent: number;
  session: number;
  ticks: number;
  childTicks: number;
  tasks: number;
  start: number;
  pages: number;
};

/** The same on every Linux. */
const ticksPerSecond = 100;

/** A process that is older than this, and none of a run's that is known by now, never will be. */
const strangerSeconds = 15;

/** After so many looks the strangers are looked at again: a pid may have become another's. */
const forgetAfter = 120;

export class UsageMeter {
  readonly #strangers = new Set<number>();
  #looks = 0;

  /** Looks at all runs at once. A run that has no living agent is left out. */
  measure<Key>(runs: Map<Key, Measured>): Map<Key, RunUsage> {
    if (process.platform !== "linux") return new Map();
    if (++this.#looks % forgetAfter === 0) this.#strangers.clear();
    const young = (uptime() - strangerSeconds) * ticksPerSecond;
    // A run that was taken up has processes as old as strangers.
    for (const { agent } of runs.values()) if (this.#strangers.has(agent.pid)) this.#strangers.clear();
    // To read the state of each process of a machine costs more than all the rest.
    const processes = new Processes(this.#strangers);
    const found = new Map<Key, RunUsage>();
    const members = new Set<number>();
    for (const [key, run] of runs) {
      const own = processes.of(run);
      if (own) found.set(key, usageOf(own));
      for (const { pid } of own ?? []) members.add(pid);
    }
    for (const { pid, start } of processes.all()) if (!members.has(pid) && start < young) this.#strangers.add(pid);
    return found;
  }
}

/**
 * Measures the PSS of a run's processes, in bytes: resident memory, shared pages divided among their users. Expensive,
 * so measured only for runs near their limit.
 */
export function pssBytes(run: Measured): number {
  const own = new Processes(new Set()).of(run) ?? [];
  const sizes = own.map(({ pid, pages }) => proportionalBytes(pid) ?? pages * pageBytes());
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The processes of the machine at one moment. */
class Processes {
  readonly #byPid = new Map<number, Process>();
  readonly #byParent = new Map<number, Process[]>();
  readonly #bySession = new Map<number, Process[]>();

  /** @param strangers who aren't looked at */
  constructor(strangers: ReadonlySet<number>) {
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const found = Number.isInteger(pid) && !strangers.has(pid) ? processOf(pid) : null;
      if (!found) continue;
      this.#byPid.set(pid, found);
      put(this.#byParent, found.parent, found);
      put(this.#bySession, found.session, found);
    }
  }

  all(): Iterable<Process> {
    return this.#byPid.values();
  }

  /**
   * Lists the processes of a run. In a PID namespace: all below its shim, which inherits every orphan, but for the
   * shim's own session. Otherwise: the agent's session, and all below it. Null: its agent is gone.
   */
  of({ agent, inNamespace }: Measured): Process[] | null {
    const leader = this.#byPid.get(agent.pid);
    if (!leader || String(leader.start) !== agent.start) return null;
    const shim = inNamespace ? this.#byPid.get(leader.parent) : undefined;
    const members = new Set([leader, ...(this.#bySession.get(agent.pid) ?? [])]);
    for (const process of shim ? this.#childrenOf(shim) : []) members.add(process);
    for (const process of members) for (const child of this.#childrenOf(process)) members.add(child);
    const own = [...members].filter(({ session }) => session !== shim?.session);
    // Of those whom it has inherited and seen end, it alone knows the time.
    return shim ? [...own, { ...shim, ticks: 0, tasks: 0, pages: 0 }] : own;
  }

  #childrenOf({ pid }: Process): Process[] {
    return this.#byParent.get(pid) ?? [];
  }
}

function put(lists: Map<number, Process[]>, key: number, process: Process): void {
  const list = lists.get(key);
  if (list) list.push(process);
  else lists.set(key, [process]);
}

function usageOf(members: Process[]): RunUsage {
  const sum = (of: (process: Process) => number) => members.reduce((total, process) => total + of(process), 0);
  return {
    memoryBytes: sum(({ pages }) => pages) * pageBytes(),
    cpuSeconds: sum(({ ticks, childTicks }) => ticks + childTicks) / ticksPerSecond,
    tasks: sum(({ tasks }) => tasks),
  };
}

function processOf(pid: number): Process | null {
  try {
    // The name in parentheses may hold anything, so fields are counted from behind its last one.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const field = (number: number) => Number(fields[number - 3]);
    return {
      pid,
      parent: field(4),
      session: field(6),
      ticks: field(14) + field(15),
      childTicks: field(16) + field(17),
      tasks: field(20),
      start: field(22),
      pages: field(24),
    };
  } catch {
    return null;
  }
}

function proportionalBytes(pid: number): number | null {
  try {
    const kib = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

let page: number | undefined;

function pageBytes(): number {
  page ??= Number(execFileSync("getconf", ["PAGESIZE"], { encoding: "utf8" }));
  return page;
}

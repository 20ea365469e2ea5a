/** The system of chaos: a client of its journal, the pids of its programs, and that it comes back. */
import { readdirSync } from "node:fs";
import { readSupervised } from "../../journal/programs/supervised.ts";
import type { JournalClient } from "../support/journal-client.ts";
import type { Program } from "./runs/cases.ts";
import type { StopPoint } from "./stop-point.ts";

export type ChaosSystem = AsyncDisposable & {
  readonly client: JournalClient;
  readonly stop: StopPoint;
  /** The process of a program; undefined when there is none. */
  pidOf: (program: Program) => number | undefined;
  /** The processes of all programs that there are now. */
  pids: () => number[];
  /** Starts whatever is down and nobody else starts; resolves when everything is ready. */
  restart: () => Promise<void>;
};

/** Milliseconds that everything may take to be ready again. */
export const readyMs = 120_000;

/** How many descriptors cortex has open. */
export const descriptorsOf = (chaos: ChaosSystem) => readdirSync(`/proc/${chaos.pidOf("cortex")}/fd`).length;

/** After so many deaths in a row a program waits for seconds until it is started again: a new system is there sooner. */
const mostDeaths = 4;

/** Whether a system had better be replaced by a new one. */
export function isWorn(journal: string): boolean {
  return (readSupervised(journal)?.programs ?? []).some(({ streak }) => streak >= mostDeaths);
}

/** The pid of a program that a supervisor keeps. */
export function keptPid(journal: string, program: Program): number | undefined {
  return readSupervised(journal)?.programs.find(({ name }) => name === program)?.identity?.pid;
}

/** Lists the pids of all that it keeps. */
export function keptPids(journal: string): number[] {
  return (readSupervised(journal)?.programs ?? []).flatMap(({ identity }) => identity?.pid ?? []);
}

/** The programs of a bus with a keeper over it, and of a cortex with nobody over it. */
export const programsOf = ({ pid, journal }: { pid: number; journal: string }) => [pid, ...keptPids(journal)];

/** The settings of chaos: what is lost is noticed soon. */
export const chaosSettings = { lease_seconds: 5, orphan_grace_seconds: 20, max_concurrent: 4, stop_grace_seconds: 1 };

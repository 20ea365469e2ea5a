/** The port to the processes of runs: each by its attempt's folder, where all that is known of it stands. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { follow } from "../../files/lines/follow.ts";
import { tailOf } from "../../files/lines/tail.ts";
import { noteRawPosition, rawPosition } from "../../journal/run-folders/raw-cursor.ts";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import { exitOfRun } from "../../proc/runs/exit-fifo.ts";
import type { Isolation } from "../../proc/runs/isolation.ts";
import {
  agentOf,
  exitOf,
  prepareRun,
  putLine,
  recordStop,
  signalRun,
  stopReasonOf,
  sweepRun,
  wakeFeeder,
  wasStarted,
} from "../../proc/runs/run.ts";
import { givenInputs } from "../process/given-inputs.ts";
import { type AttemptLaunch, startAttempt } from "../process/start-process.ts";
import type { WarmPool } from "../process/warm-pool.ts";

/** The output of an attempt, and how far its run's file has come in it. */
export const printedOutput = {
  /** From a byte on, to the end, which comes when the last of its processes is gone. */
  output: (folder: string, from: number): AsyncIterable<Buffer> =>
    follow(join(folder, "out"), from, exitOfRun(folder, new AbortController().signal)),
  /** From a byte on, what there is by now. */
  outputSoFar: (folder: string, from: number): AsyncIterable<Buffer> =>
    follow(join(folder, "out"), from, Promise.resolve()),
  position: rawPosition,
  notePosition: noteRawPosition,
};

export type PrintedOutput = typeof printedOutput;

export type RunProcesses = ReturnType<typeof journalProcesses>;

/** @param warm processes that wait for a run */
export function journalProcesses(journal: string, isolation: Isolation, warm: WarmPool) {
  return {
    folder: (agentId: string, attempt: number) => attemptFolder(journal, agentId, attempt),
    prepare: prepareRun,
    start: (launch: AttemptLaunch) => startAttempt({ journal, isolation, warm }, launch),
    wasStarted,
    /** Whether its process may still be there. */
    mayLive(folder: string): boolean {
      const agent = agentOf(folder);
      return exitOf(folder).code === null && (agent === null || isAlive(agent));
    },
    exit: exitOf,
    put: putLine,
    wakeFeeder,
    givenInputs,
    signal: signalRun,
    sweep: sweepRun,
    recordStop,
    stopReason: stopReasonOf,

    ...printedOutput,
    /** How many bytes it has printed. */
    printed: (folder: string) => sizeOf(folder, "out") + sizeOf(folder, "err"),
    /** The end of what it wrote on stderr. */
    errors: (folder: string, maxBytes: number) => tailOf(join(folder, "err"), maxBytes),
  };
}

const sizeOf = (folder: string, name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;

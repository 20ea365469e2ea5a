/** The record of a supervisor and its programs, `.run/supervisor.json`: for commands, and for the supervisor after it. */
import { CoalescedWork } from "../files/locks/serial-queue.ts";
import { type ProgramStatus, readSupervised, writeSupervised } from "../journal/programs/supervised.ts";
import { identifyProcess } from "../proc/processes/identity.ts";
import type { Logger } from "../proc/logging/log.ts";

export type SupervisorRecordDeps = {
  journal: string;
  log: Pick<Logger, "warn">;
  programs: () => ProgramStatus[];
  stopsWithinMs: () => number;
};

export class SupervisorRecord {
  readonly #deps: SupervisorRecordDeps;
  readonly #self = identifyProcess(process.pid);
  readonly #writing = new CoalescedWork(() => this.#write());
  /** The programs as the former supervisor has recorded them. */
  readonly former: ProgramStatus[];
  #isTakenUp = false;

  constructor(deps: SupervisorRecordDeps) {
    this.#deps = deps;
    this.former = readSupervised(deps.journal)?.programs ?? [];
  }

  /** From now on the programs' own status is written; until then the former record stays, for whoever is killed meanwhile. */
  takenUp(): void {
    this.#isTakenUp = true;
  }

  /** Writes the record. Resolves when it is on the disk; calls during one write share the next. */
  write(): Promise<void> {
    const written = this.#writing.run();
    written.catch((error: unknown) => this.#deps.log.warn({ err: error }, "supervisor.json couldn't be written"));
    return written;
  }

  /** Resolves when nothing is being written. A write that failed is in the log. */
  idle(): Promise<void> {
    return this.#writing.idle();
  }

  async #write(): Promise<void> {
    const { journal, programs, stopsWithinMs } = this.#deps;
    if (!this.#self) throw new Error("this process can't be identified");
    const statuses = this.#isTakenUp ? programs() : this.former;
    await writeSupervised(journal, {
      supervisor: this.#self,
      programs: statuses,
      stops_within_ms: stopsWithinMs(),
    });
  }
}

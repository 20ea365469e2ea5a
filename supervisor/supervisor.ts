/** Keeps programs: adopts those that live, starts the others in the order of their needs, and stops them in reverse. */
import { beginCapture, takeCapture } from "../journal/logs/program-logs-intake.ts";
import type { ProgramStatus } from "../journal/programs/supervised.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { SupervisorEvent } from "../protocol/programs/supervisor-event.ts";
import { adoptPrograms } from "./adopt-programs.ts";
import { checkNeeds, type Program } from "./programs/program.ts";
import { memoryOf } from "./supervision/program-status.ts";
import { killAgainMs } from "./supervision/program-timings.ts";
import { SupervisedProgram } from "./supervision/supervised-program.ts";
import { Renewal } from "./renewal.ts";
import { SupervisorRecord } from "./supervisor-record.ts";

export type SupervisorDeps = {
  journal: string;
  programs: Program[];
  log: Logger;
  onEvent?: (event: SupervisorEvent) => void;
};

export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #record: SupervisorRecord;
  readonly #supervised: SupervisedProgram[];
  readonly #renewal: Renewal;
  readonly #onChange = new Set<() => void>();
  #adopting: Promise<void> = Promise.resolve();
  #isStopping = false;
  #isForced = false;
  #isReleased = false;

  constructor(deps: SupervisorDeps) {
    const { journal, programs, log } = deps;
    checkNeeds(programs);
    this.#deps = deps;
    this.#record = new SupervisorRecord({
      journal,
      log,
      programs: () => this.programs,
      stopsWithinMs: () => this.stopsWithinMs,
    });
    this.#supervised = programs.map((program) => this.#supervise(program));
    this.#renewal = new Renewal(this.#supervised, log);
  }

  /** A program of its name, if there is one. */
  find(name: string): SupervisedProgram | undefined {
    return this.#supervised.find((known) => known.name === name);
  }

  /** A program of its name. */
  program(name: string): SupervisedProgram {
    const supervised = this.find(name);
    if (!supervised) throw new Error(`no program "${name}"`);
    return supervised;
  }

  /**
   * Adopts what lives and wants everything to run. Resolves when each program that the system waits for has become ready
   * once, or has failed; or with false, when it was stopped before that.
   * @param unusable why a program that was found living can't go on, beside an outdated fingerprint
   */
  async start(unusable: (program: Program) => string | null = () => null): Promise<boolean> {
    this.#adopting = this.#adopt((program, former) => this.#whyUnusable(program, former, unusable));
    await this.#adopting;
    if (this.#isStopping) return false;
    for (const supervised of this.#supervised) supervised.followSettings();
    this.#renewal.start();
    this.#updateNeeds();
    await this.#until(
      () =>
        this.#isStopping ||
        this.#supervised.every(
          ({ program, state, isAbsent }) => program.isAside || isAbsent || state === "ready" || state === "failed",
        ),
    );
    await this.#record.write(); // a reader that is told that it is up finds it recorded
    return !this.#isStopping;
  }

  /** The status of each program that there is. */
  get programs(): ProgramStatus[] {
    return this.#supervised.filter(({ isAbsent }) => !isAbsent).map(({ status }) => status);
  }

  /** Stops what lives of an earlier supervisor, as it is: nothing is started, not even to make way for another. */
  async stopFound(): Promise<void> {
    this.#isStopping = true;
    this.#adopting = this.#adopt(null);
    await this.#adopting;
    await this.stop();
  }

  /** How long a stop may take: the graces of all, and KILL. */
  get stopsWithinMs(): number {
    return this.#supervised.reduce((sum, { program }) => sum + program.stopGraceMs() + killAgainMs, 0);
  }

  /** Stops everything, in reverse. Resolves when nothing of it is left. */
  async stop(kill = false): Promise<void> {
    await this.#beginStop();
    if (this.#isReleased) return;
    // First the programs without a process: none of them is started any more.
    for (const supervised of this.#supervised)
      if (["down", "starting", "backingOff", "failed"].includes(supervised.state))
        supervised.step({ type: "unwant", kill });
    for (const supervised of this.#supervised.toReversed()) {
      // A program that is already stopping got the force when it was asked for.
      const isFirst = supervised.state !== "stopping";
      supervised.step({ type: "unwant", kill });
      if (isFirst && this.#isForced) supervised.step({ type: "force" });
      await this.#until(() => supervised.state === "down");
    }
    await this.#record.idle();
  }

  /** Asks stopping programs once more, and the others as soon as they are asked; the third time they are killed. */
  force(): void {
    this.#isForced = true;
    for (const supervised of this.#supervised) supervised.step({ type: "force" });
  }

  /** Leaves everything running, for the supervisor that comes next. */
  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#beginStop();
    for (const supervised of this.#supervised) supervised.release();
    await this.#record.idle();
  }

  /** Has programs read their settings again, and gives those that have failed another chance. */
  reread(): void {
    this.#renewal.reread();
  }

  /** Starts nothing any more, and waits until the adoption is over. */
  async #beginStop(): Promise<void> {
    this.#isStopping = true;
    this.#renewal.stop();
    await this.#adopting.catch(() => {}); // the caller of `start` gets the failure
  }

  #supervise(program: Program): SupervisedProgram {
    const { journal, log, onEvent } = this.#deps;
    const deps = {
      beginOutput: () => beginCapture(journal, program.name),
      endOutput: () => takeCapture(journal, program.name),
      log,
      record: () => this.#record.write(),
      announce: (event: SupervisorEvent) => {
        onEvent?.(event);
        this.#changed(event);
      },
    };
    return new SupervisedProgram(
      program,
      deps,
      memoryOf(this.#record.former.find(({ name }) => name === program.name)),
    );
  }

  async #adopt(whyUnusable: Parameters<typeof adoptPrograms>[2]): Promise<void> {
    // Names this supervisor as the one that keeps the journal; the former one's programs stay until they are looked at.
    await this.#record.write();
    await adoptPrograms(this.#record.former, (name) => this.find(name), whyUnusable, {
      log: this.#deps.log,
      onAdopted: () => this.#record.takenUp(),
    });
  }

  async #whyUnusable(program: Program, former: ProgramStatus, unusable: (program: Program) => string | null) {
    if (former.makeup !== (await program.fingerprint())) return "was started in another way than it would be now";
    await this.#renewal.refresh(program);
    // The former supervisor was killed while it stopped this program: that is finished.
    return former.state === "stopping" ? "was being stopped" : unusable(program);
  }

  #changed(event: SupervisorEvent): void {
    // The event comes from within a step: the inputs of other programs that follow from it come after that.
    queueMicrotask(() => {
      this.#updateNeeds();
      for (const check of this.#onChange) check();
      if (event.event === "ready" && !this.#isStopping) void this.#renewal.renewStale();
    });
  }

  #updateNeeds(): void {
    for (const supervised of this.#supervised) {
      const met = supervised.program.needs.every((name) => this.program(name).state === "ready");
      if (met !== supervised.needsMet) supervised.step({ type: "needs", met });
    }
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isSo()) return;
        this.#onChange.delete(check);
        resolve();
      };
      this.#onChange.add(check);
      check();
    });
  }
}

/** Keeps programs: takes up those that live, starts the others in the order of their needs, stops them in reverse, and writes down how they are. */
import { CoalescedWork } from "../files/serial-queue.ts";
import { readSupervised, type ProgramStatus, writeSupervised } from "../journal/programs/supervised.ts";
import { beginStray, takeStray } from "../journal/logs/program-logs-intake.ts";
import { identify } from "../proc/os/identity.ts";
import type { Logger } from "../proc/logging/log.ts";
import { Service } from "../proc/programs/service.ts";
import type { SupervisorEvent } from "../protocol/programs/supervisor-event.ts";
import { findRecorded, killOrphans } from "./programs/orphans.ts";
import { checkNeeds, type Program } from "./programs/program.ts";
import type { ProgramMemory } from "./programs/program-life.ts";
import { killAgainMs } from "./programs/program-timings.ts";
import { SupervisedProgram } from "./programs/supervised-program.ts";

/** How often it is looked whether what supervised a program from working was changed, such as a file with a secret that now is there. */
const lookAgainMs = 1000;

/** How long a program that nobody knows any more may take to go. */
const unknownGraceMs = 5000;

export type SupervisorParts = {
  journal: string;
  programs: Program[];
  log: Logger;
  tell?: (event: SupervisorEvent) => void;
};

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #supervised: SupervisedProgram[];
  readonly #former: ProgramStatus[];
  readonly #onChange = new Set<() => void>();
  readonly #self = identify(process.pid);
  #taking: Promise<void> = Promise.resolve();
  #looking: NodeJS.Timeout | undefined;
  #isKnown = false;
  #isStopping = false;
  #isForced = false;
  #isReleased = false;
  readonly #writing = new CoalescedWork(() => this.#write());

  constructor(parts: SupervisorParts) {
    checkNeeds(parts.programs);
    this.#parts = parts;
    this.#former = readSupervised(parts.journal)?.programs ?? [];
    this.#supervised = parts.programs.map((program) => this.#supervise(program));
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
   * Takes up what lives and wants everything to run. Resolves when each program that somebody waits for has become ready
   * once, or has failed; or with false, when it was stopped before that.
   * @param unusable why a program that was found living can't go on, beside having been made of something else
   */
  async start(unusable: (program: Program) => string | null = () => null): Promise<boolean> {
    this.#taking = this.#takeUp(unusable);
    await this.#taking;
    if (this.#isStopping) return false;
    for (const supervised of this.#supervised) supervised.step({ type: "want" });
    this.#looking = setInterval(() => void this.#tryRefused(), lookAgainMs).unref();
    this.#tellNeeds();
    await this.#until(
      () =>
        this.#isStopping ||
        this.#supervised.every(({ program, state }) => program.isAside || state === "ready" || state === "failed"),
    );
    await this.#record(); // whoever is told that it is up finds it written down
    return !this.#isStopping;
  }

  /** How the programs are. */
  get programs(): ProgramStatus[] {
    return this.#supervised.map(({ status }) => status);
  }

  /** Stops what lives of an earlier one, as it is: nothing is started, also not to make way for another. */
  async stopFound(): Promise<void> {
    this.#isStopping = true;
    this.#taking = this.#takeUp(null);
    await this.#taking;
    await this.stop();
  }

  /** How long a stop may take: the graces of all, and KILL. */
  get stopsWithinMs(): number {
    return this.#supervised.reduce((sum, { program }) => sum + program.stopGraceMs() + killAgainMs, 0);
  }

  /** Stops everything, in reverse. Resolves when nothing of it is left. */
  async stop(kill = false): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#looking);
    await this.#taking.catch(() => {}); // told to whoever started
    if (this.#isReleased) return;
    // What isn't there yet shall not come.
    for (const supervised of this.#supervised)
      if (["down", "starting", "backingOff", "failed"].includes(supervised.state))
        supervised.step({ type: "unwant", kill });
    for (const supervised of this.#supervised.toReversed()) {
      // One that is stopping by now heard of a force when that was said.
      const isFirst = supervised.state !== "stopping";
      supervised.step({ type: "unwant", kill });
      if (isFirst && this.#isForced) supervised.step({ type: "force" });
      await this.#until(() => supervised.state === "down");
    }
    await this.#written();
  }

  /** Those that were asked to stop are told again, the others as soon as they are asked; the third time they are killed. */
  force(): void {
    this.#isForced = true;
    for (const supervised of this.#supervised) supervised.step({ type: "force" });
  }

  /** Leaves everything running, for the supervisor that comes next. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#isStopping = true;
    clearInterval(this.#looking);
    await this.#taking.catch(() => {});
    for (const supervised of this.#supervised) supervised.release();
    await this.#written();
  }

  /** Programs read their settings again, and those that have failed get another chance. */
  reread(): void {
    for (const supervised of this.#supervised) {
      if (supervised.program.rereads && supervised.state === "ready") supervised.signal("SIGHUP");
      supervised.step({ type: "retry" });
      void this.#follow(supervised);
    }
  }

  /** Who can't read settings again is started anew, where they make something else of it. While they are broken it stays. */
  async #follow(supervised: SupervisedProgram): Promise<void> {
    if (supervised.program.rereads || !(await this.#refresh(supervised.program)) || this.#isStopping) return;
    if (await supervised.isStale()) supervised.step({ type: "renew", reason: "the settings want it otherwise" });
  }

  async #tryRefused(): Promise<void> {
    for (const supervised of this.#supervised)
      if ((await supervised.isWorthAnotherTry().catch(() => false)) && !this.#isStopping)
        supervised.step({ type: "retry" });
  }

  async #refresh({ name, refresh }: Program): Promise<boolean> {
    try {
      await refresh?.();
      return true;
    } catch (error) {
      this.#parts.log.warn({ err: error, program: name }, "what the settings want couldn't be brought about");
      return false;
    }
  }

  #supervise(program: Program): SupervisedProgram {
    const { journal, log, tell } = this.#parts;
    const former = this.#former.find(({ name }) => name === program.name);
    const parts = {
      beginOutput: () => beginStray(journal, program.name),
      endOutput: () => takeStray(journal, program.name),
      log,
      record: () => this.#record(),
      announce: (event: SupervisorEvent) => {
        tell?.(event);
        this.#changed(event);
      },
    };
    return new SupervisedProgram(program, parts, memoryOf(former));
  }

  /**
   * All are noted before anything is said to one: the record names every living process at any moment.
   * @param unusable why one can't go on; null: none is to go on, and each is stopped politely
   */
  async #takeUp(unusable: ((program: Program) => string | null) | null): Promise<void> {
    // Whoever wants to know who keeps this journal finds out; what the former one knew stays, until it was looked at.
    await this.#record();
    const found: (() => void)[] = [];
    for (const former of this.#former) {
      const identity = findRecorded(former);
      if (!identity) {
        if (former.identity && identify(former.identity.pid))
          this.#parts.log.warn(
            { program: former.name, pid: former.identity.pid },
            "not taken up: the process with its pid is another",
          );
        await killOrphans(former);
        continue;
      }
      const supervised = this.#supervised.find(({ name }) => name === former.name);
      if (!supervised) {
        this.#parts.log.info(
          { program: former.name, pid: identity.pid },
          "stopping a program that is no longer one of ours",
        );
        await Service.adopt(identity).stop("SIGTERM", unknownGraceMs);
        continue;
      }
      const why = unusable && (await this.#whyNot(supervised.program, former, unusable));
      supervised.adopt(identity, former.nonce ?? "", former.makeup ?? "");
      const startedAt = former.started_at ?? Date.now();
      found.push(() => supervised.step({ type: "found", unusable: why, startedAt }));
    }
    this.#isKnown = true;
    for (const say of found) say();
  }

  async #whyNot(program: Program, former: ProgramStatus, unusable: (program: Program) => string | null) {
    if (former.makeup !== (await program.fingerprint())) return "was started in another way than it would be now";
    await this.#refresh(program);
    return halfStopped(former) ?? unusable(program);
  }

  #changed(event: SupervisorEvent): void {
    // Said within a step: what it makes of the others comes after it.
    queueMicrotask(() => {
      this.#tellNeeds();
      for (const look of this.#onChange) look();
      if (event.event === "ready" && !this.#isStopping) void this.#renewStale();
    });
  }

  #tellNeeds(): void {
    for (const supervised of this.#supervised) {
      const met = supervised.program.needs.every((name) => this.program(name).state === "ready");
      if (met !== supervised.needsMet) supervised.step({ type: "needs", met });
    }
  }

  /** A program that came back elsewhere isn't found by those who need it: they are started anew, and only then. */
  async #renewStale(): Promise<void> {
    for (const supervised of this.#supervised)
      if (await supervised.isStale()) supervised.step({ type: "renew", reason: "what it needs is elsewhere now" });
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        this.#onChange.delete(look);
        resolve();
      };
      this.#onChange.add(look);
      look();
    });
  }

  /** Resolves when nothing is being written. What couldn't be, the log says: nobody stays for that. */
  async #written(): Promise<void> {
    await this.#writing.idle();
  }

  /** Resolves when things are written down as they are now. What comes while one write is under way is one more. */
  #record(): Promise<void> {
    const written = this.#writing.run();
    written.catch((error: unknown) => this.#parts.log.warn({ err: error }, "supervisor.json couldn't be written"));
    return written;
  }

  async #write(): Promise<void> {
    const supervisor = this.#self;
    if (!supervisor) throw new Error("this process can't be identified");
    const programs = this.#isKnown ? this.programs : this.#former;
    await writeSupervised(this.#parts.journal, { supervisor, programs, stops_within_ms: this.stopsWithinMs });
  }
}

/** The supervisor was killed while it stopped one: that one goes for good. */
function halfStopped({ state }: ProgramStatus): string | null {
  return state === "stopping" ? "was being stopped" : null;
}

/** What mustn't be forgiven. One that was stopped on purpose begins anew. */
function memoryOf(former: ProgramStatus | undefined): ProgramMemory | undefined {
  if (!former || former.state === "stopped") return undefined;
  const { deaths, streak, restarts, reason } = former;
  return { deaths, streak, restarts, reason, hasFailed: former.has_failed, notBefore: former.not_before };
}

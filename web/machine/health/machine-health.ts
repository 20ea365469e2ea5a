/** The machine's health: its programs, what is wrong, and its places for runs. Looked at anew by each who asks; while somebody listens, each change is told. */
import { readFileSync } from "node:fs";
import { messageOf } from "../../../files/errors/error-message.ts";
import { shownStatus } from "../../../journal/programs/status-files.ts";
import { sandboxLevelFile } from "../../../journal/programs/sandbox-level-file.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { parseOwnJson } from "../../../protocol/json/parse-json.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import { keptSandbox } from "../../../sandbox/kept-level.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { Health, HealthProblem, ProgramRow } from "../records/machine-records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import { sumsOfToday } from "../runs/sums-of-today.ts";
import { isWarning, problemsOf } from "./problems.ts";
import { programsNow } from "./programs-now.ts";

/** Milliseconds after which it is looked at again while somebody listens. */
const lookEveryMs = 1000;
/** The supervisor tells of a change before it has written it down, in ms. */
const writtenWithinMs = 100;

/** Milliseconds for which the sandbox's level is taken for what it was. */
const sandboxMs = 300_000;

/** A change: of a program, or of the problems (without warnings). */
export type HealthNews = { program: ProgramRow } | { problems: HealthProblem[] };

type Deps = MachineBase & { runs: LiveRuns };

export class MachineHealth {
  readonly #base: Deps;
  #sandbox: { level: Promise<string>; until: number } | null = null;

  constructor(base: Deps) {
    this.#base = base;
  }

  programs(): ProgramRow[] {
    return programsNow(this.#base.journal).programs;
  }

  /** Lists the problems; warnings aside. */
  async problems(): Promise<HealthProblem[]> {
    const all = await problemsOf(this.#base, programsNow(this.#base.journal));
    return all.filter((problem) => !isWarning(problem));
  }

  async get(): Promise<Health> {
    const { journal, timeZone, runs, settings } = this.#base;
    const now = programsNow(journal);
    const [problems, working, sandbox] = await Promise.all([
      problemsOf(this.#base, now),
      runs.working(),
      this.#sandboxLevel(),
    ]);
    const isCortexUp = now.programs.some(({ name, pid }) => name === "cortex" && pid !== null);
    const live = isCortexUp ? shownStatus(journal) : null;
    const { cost_usd, is_estimate } = sumsOfToday(runs.recent, working, timeZone);
    return {
      programs: now.programs,
      problems,
      running: live?.running.length ?? 0,
      queued: live?.waiting ?? 0,
      capacity: live?.capacity ?? 0,
      today: { cost_usd, is_estimate, limit_usd: settings().budgets?.daily?.max_cost_usd ?? null },
      workers: (live?.workers ?? []).map(({ worker, labels, capacity }) => ({ worker, labels, capacity })),
      sandbox,
      journal,
      time_zone: timeZone,
      version: versionHere(),
    };
  }

  /** Where there is none, each look tries one again, in a process. */
  #sandboxLevel(): Promise<string> {
    if (this.#sandbox && performance.now() < this.#sandbox.until) return this.#sandbox.level;
    const level = keptSandbox(sandboxLevelFile(this.#base.journal)).then((found) => found.level);
    this.#sandbox = { level, until: performance.now() + sandboxMs };
    // What couldn't be tried is tried again by whoever asks next.
    level.catch(() => (this.#sandbox = null));
    return level;
  }

  /** Hears of each change from now on. */
  listen(listener: (news: HealthNews) => void): Disposable {
    const watch = new HealthWatch(this, listener, (error) =>
      this.#base.log.warn({ error: messageOf(error) }, "the machine's health can't be looked at"),
    );
    const { bus } = this.#base;
    const subscription = bus.connection.subscribe(subjects.supervisorEvent("*", "*"), {
      callback: () => watch.lookSoon(),
    });
    return {
      [Symbol.dispose]: () => {
        subscription.unsubscribe();
        watch[Symbol.dispose]();
      },
    };
  }
}

/** Compares how it was with how it is. */
class HealthWatch implements Disposable {
  readonly #health: MachineHealth;
  readonly #tellNews: (news: HealthNews) => void;
  readonly #onError: (error: unknown) => void;
  readonly #looking: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #programs: Map<string, string> | null = null;
  #problems: string | null = null;
  #isLooking = false;
  #isClosed = false;

  constructor(health: MachineHealth, tell: (news: HealthNews) => void, onError: (error: unknown) => void) {
    this.#health = health;
    this.#tellNews = tell;
    this.#onError = onError;
    this.#looking = setInterval(() => void this.#compareHealth(), lookEveryMs).unref();
    void this.#compareHealth();
  }

  lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#compareHealth();
    }, writtenWithinMs).unref();
  }

  async #compareHealth(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#comparePrograms(this.#health.programs());
      this.#compareProblems(await this.#health.problems());
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#isLooking = false;
    }
  }

  #comparePrograms(programs: ProgramRow[]): void {
    const before = this.#programs;
    this.#programs = new Map(programs.map((program) => [program.name, JSON.stringify(program)]));
    if (before === null) return;
    for (const program of programs)
      if (before.get(program.name) !== this.#programs.get(program.name)) this.#tellNews({ program });
  }

  #compareProblems(problems: HealthProblem[]): void {
    if (this.#isClosed) return;
    const before = this.#problems;
    this.#problems = JSON.stringify(problems);
    if (before !== null && before !== this.#problems) this.#tellNews({ problems });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    clearTimeout(this.#soon);
  }
}

let version: string | undefined;

function versionHere(): string {
  version ??= String(
    (parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as Record<string, unknown>)["version"],
  );
  return version;
}

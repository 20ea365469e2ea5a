/** Looks at the wall clock, and works on every queue that has something due: one for all daily runs, one for each persona with a cron expression. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { UnitRecord, Work } from "../../protocol/programs/schedule.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { UnitAttempt } from "../../schedule/units/group.ts";
import { type UnitOutcome, unitName, workQueue } from "../../schedule/units/unit-queue.ts";
import { Cursors } from "../../schedule/units/cursors.ts";
import { DailyRuns } from "../../schedule/units/daily-runs.ts";
import { type Scheduled, scheduledPersonas } from "../../schedule/calendar/scheduled.ts";
import { dailyQueue, queueOf } from "../../schedule/units/queue-names.ts";
import { nextOfOccurrences } from "../../schedule/units/occurrences.ts";

export type SchedulerParts = {
  timeZone: string;
  ledger: ScheduleStore;
  log: Pick<Logger, "info" | "warn">;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "all" | "get" | "problems">;
  activityOn: (day: string) => FacetActivity[];
  /** All that is needed to see a turn through. @throws Error when its persona is gone */
  workFor: (turn: UnitAttempt) => Work;
  /** Asks for the work's run, and waits for its end. @throws Error when the bus doesn't answer */
  runWork: (work: Work) => Promise<UnitOutcome>;
  now: () => number;
  signal: AbortSignal;
};

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #cursors: Cursors;
  readonly #dailyRuns: DailyRuns;
  readonly #startRevision: number;
  /** Queues that are being worked on; true: to be checked again afterwards. */
  readonly #busy = new Map<string, boolean>();
  #on: Scheduled[] = [];
  #logged = "";
  /** Whether the cursors are those of the schedules that are on. */
  #isFollowed = false;

  private constructor(parts: SchedulerParts, startRevision: number) {
    this.#parts = parts;
    this.#startRevision = startRevision;
    this.#cursors = new Cursors(parts.ledger);
    this.#dailyRuns = new DailyRuns({
      ...this.#reading,
      cursors: this.#cursors,
      personas: () => this.#on.filter(({ cron }) => cron === null),
    });
  }

  static async start(parts: SchedulerParts): Promise<Scheduler> {
    return new Scheduler(parts, await parts.ledger.revision());
  }

  /** Starts what is due. Resolves when it has been started; the queues go on by themselves. */
  async tick(): Promise<void> {
    const isFirst = this.#logged === "";
    if (this.#readSchedules()) this.#isFollowed = false;
    if (!this.#isFollowed) {
      const isBroken = (name: string) => this.#parts.personas.problems().some((problem) => problem.name === name);
      await this.#cursors.follow(this.#on, isBroken, this.#parts.now());
      this.#isFollowed = true;
    }
    this.#check(dailyQueue, () => this.#dailyRuns.next());
    for (const scheduled of this.#on) {
      const { cron } = scheduled;
      if (cron) this.#check(queueOf(scheduled), () => nextOfOccurrences({ ...scheduled, cron }, this.#reading));
    }
    // A unit of a persona that was turned off meanwhile is run to its end, too.
    if (isFirst)
      for (const queue of await this.#parts.ledger.queuesInHand())
        if (!this.#busy.has(queue)) this.#check(queue, () => Promise.resolve(null));
  }

  get #reading() {
    const { ledger, timeZone, now, activityOn } = this.#parts;
    return { ledger, timeZone, now, activityOn, startRevision: this.#startRevision };
  }

  /** Returns whether they are others than before. */
  #readSchedules(): boolean {
    const { personas, settings, log } = this.#parts;
    const { on, off } = scheduledPersonas(personas.all(), settings());
    this.#on = on;
    const schedules = {
      on: on.map(({ name, schedule }) => `${name}: ${schedule}`),
      off: off.map(({ name, reason }) => `${name}: ${reason}`),
    };
    const text = JSON.stringify({ ...schedules, broken: personas.problems() });
    if (this.#logged === text) return false;
    this.#logged = text;
    log.info(schedules, "schedules");
    return true;
  }

  #check(queue: string, next: () => Promise<UnitAttempt | null>): void {
    const isBusy = this.#busy.has(queue);
    this.#busy.set(queue, isBusy);
    if (!isBusy) void this.#work(queue, next);
  }

  async #work(queue: string, next: () => Promise<UnitAttempt | null>): Promise<void> {
    const { ledger, log, now, signal, workFor, runWork } = this.#parts;
    try {
      do {
        this.#busy.set(queue, false);
        await workQueue(queue, {
          ledger,
          now,
          next: async () => {
            const turn = await next();
            return turn && workFor(turn);
          },
          runWork,
          onWork: (work, record) => this.#logRecord(work, record),
        });
      } while (this.#busy.get(queue));
    } catch (error) {
      // Everything is in the ledger: the next tick goes on from there.
      if (!signal.aborted) log.warn({ queue, err: error }, "couldn't go on; it is tried again");
    } finally {
      this.#busy.delete(queue);
    }
  }

  #logRecord({ unit, attempt, request }: Work, { state, reason }: UnitRecord): void {
    const fact = { unit: unitName(unit), attempt, agent_id: String(request.ts), reason };
    if (state === "failed") this.#parts.log.warn(fact, "failed");
    else this.#parts.log.info(fact, state);
  }
}

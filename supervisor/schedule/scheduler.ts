/** Looks at the wall clock, and works on every lane that has something due: one for the night, one for each persona with slots. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { UnitRecord, Work } from "../../protocol/programs/schedule.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Turn } from "./group.ts";
import { type Outcome, unitName, workLane } from "./lane.ts";
import { Marks } from "./marks.ts";
import { Night } from "./night.ts";
import { type Scheduled, scheduledPersonas } from "./scheduled.ts";
import { nextOfSlots } from "./slots.ts";

export type SchedulerParts = {
  timeZone: string;
  ledger: ScheduleStore;
  log: Pick<Logger, "info" | "warn">;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "all" | "get" | "problems">;
  activityOn: (day: string) => FacetActivity[];
  /** All that is needed to see a turn through. @throws Error when its persona is gone */
  workFor: (turn: Turn) => Work;
  /** Asks for the work's run, and waits for its end. @throws Error when the bus doesn't answer */
  runWork: (work: Work) => Promise<Outcome>;
  now: () => number;
  signal: AbortSignal;
};

/** The lane of the daily ones; a persona's slots have one of the persona's name. */
export const nightLane = "night";

/** The lane that a persona's units go through. */
export const laneOf = ({ name, cron }: Scheduled) => (cron === null ? nightLane : `slots.${name}`);

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #marks: Marks;
  readonly #night: Night;
  readonly #startRevision: number;
  /** Lanes that are being worked on; true: to be looked at again afterwards. */
  readonly #busy = new Map<string, boolean>();
  #on: Scheduled[] = [];
  #told = "";
  /** Whether the marks are those of the schedules that are on. */
  #isFollowed = false;

  private constructor(parts: SchedulerParts, startRevision: number) {
    this.#parts = parts;
    this.#startRevision = startRevision;
    this.#marks = new Marks(parts.ledger);
    this.#night = new Night({
      ...this.#reading,
      marks: this.#marks,
      personas: () => this.#on.filter(({ cron }) => cron === null),
    });
  }

  static async start(parts: SchedulerParts): Promise<Scheduler> {
    return new Scheduler(parts, await parts.ledger.revision());
  }

  /** Starts what is due. Resolves when it has been started; lanes go on by themselves. */
  async tick(): Promise<void> {
    const isFirst = this.#told === "";
    if (this.#readSchedules()) this.#isFollowed = false;
    if (!this.#isFollowed) {
      const isBroken = (name: string) => this.#parts.personas.problems().some((problem) => problem.name === name);
      await this.#marks.follow(this.#on, isBroken, this.#parts.now());
      this.#isFollowed = true;
    }
    this.#look(nightLane, () => this.#night.next());
    for (const scheduled of this.#on) {
      const { cron } = scheduled;
      if (cron) this.#look(laneOf(scheduled), () => nextOfSlots({ ...scheduled, cron }, this.#reading));
    }
    // Also of a persona that was turned off meanwhile: what was begun is seen through.
    if (isFirst)
      for (const lane of await this.#parts.ledger.lanesInHand())
        if (!this.#busy.has(lane)) this.#look(lane, () => Promise.resolve(null));
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
    const told = JSON.stringify({ ...schedules, broken: personas.problems() });
    if (this.#told === told) return false;
    this.#told = told;
    log.info(schedules, "schedules");
    return true;
  }

  #look(lane: string, next: () => Promise<Turn | null>): void {
    const isBusy = this.#busy.has(lane);
    this.#busy.set(lane, isBusy);
    if (!isBusy) void this.#work(lane, next);
  }

  async #work(lane: string, next: () => Promise<Turn | null>): Promise<void> {
    const { ledger, log, now, signal, workFor, runWork } = this.#parts;
    try {
      do {
        this.#busy.set(lane, false);
        await workLane(lane, {
          ledger,
          now,
          next: async () => {
            const turn = await next();
            return turn && workFor(turn);
          },
          runWork,
          onWork: (work, record) => this.#tell(work, record),
        });
      } while (this.#busy.get(lane));
    } catch (error) {
      // Everything is in the ledger: the next tick goes on from there.
      if (!signal.aborted) log.warn({ lane, err: error }, "couldn't go on; it is tried again");
    } finally {
      this.#busy.delete(lane);
    }
  }

  #tell({ unit, attempt, request }: Work, { state, reason }: UnitRecord): void {
    const fact = { unit: unitName(unit), attempt, agent_id: String(request.ts), reason };
    if (state === "failed") this.#parts.log.warn(fact, "failed");
    else this.#parts.log.info(fact, state);
  }
}

/** The daily runs: for each day that is over, each daily persona in its turn. Gives the next unit. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { Group, Unit, UnitRecord } from "../../protocol/programs/schedule.ts";
import { failedBefore, nextOfGroup, type UnitAttempt } from "./group.ts";
import { endOfDay } from "../calendar/local-time.ts";
import type { Cursors } from "./cursors.ts";
import { lastDays, lostDays, planGroup, skippedGroup, tooOld, whyNotDay } from "../calendar/plan.ts";
import type { Scheduled } from "../calendar/scheduled.ts";

export type DailyRunsDeps = {
  ledger: ScheduleStore;
  cursors: Cursors;
  timeZone: string;
  now: () => number;
  /** The daily ones that are on, in their order. */
  personas: () => Scheduled[];
  activityOn: (day: string) => FacetActivity[];
  /** The ledger's revision when this program started. */
  startRevision: number;
};

/** The name of a group: of a persona's day, or of one occurrence. `night` is the daily run's time on the bus. */
export const groupOf = (persona: string, day: string, time = "night"): Unit => ({ day, time, persona, facet: null });

export class DailyRuns {
  readonly #parts: DailyRunsDeps;
  /** Groups of which nothing is left to do, until this program starts again. */
  #settled = new Set<string>();

  constructor(parts: DailyRunsDeps) {
    this.#parts = parts;
  }

  /** The next unit, day by day, persona by persona, facet by facet; null when all days that are over are done. */
  async next(): Promise<UnitAttempt | null> {
    const { ledger, cursors, timeZone, personas, now, startRevision } = this.#parts;
    const days = lastDays(now(), timeZone);
    this.#settled = new Set([...this.#settled].filter((key) => days.includes(key.slice(0, 8))));
    await this.#skipLostDays(days[0] ?? "");
    for (const day of days) {
      for (const scheduled of personas()) {
        const of = groupOf(scheduled.name, day);
        const key = `${day} ${scheduled.name}`;
        if (this.#settled.has(key) || endOfDay(day, timeZone) <= sinceOf(cursors, scheduled)) continue;
        const group = (await ledger.group(of)) ?? (await ledger.decide(of, await this.#plan(scheduled, day)));
        const turn = await nextOfGroup(of, group, ledger, failedBefore(startRevision));
        if (turn) return turn;
        this.#settled.add(key);
      }
    }
    const last = days.at(-1);
    if (last !== undefined) for (const { name } of personas()) await cursors.advance(name, endOfDay(last, timeZone));
    return null;
  }

  /** When its turn comes, so that what the former ones wrote counts. */
  async #plan(scheduled: Scheduled, day: string): Promise<Group> {
    const { ledger, timeZone, now, activityOn } = this.#parts;
    const seen = await ledger.sawDay(day, now());
    const reason = whyNotDay(scheduled.missed, day, seen, timeZone);
    return reason === null ? planGroup(scheduled, day, activityOn(day), now()) : skippedGroup(reason, now());
  }

  async #skipLostDays(oldest: string): Promise<void> {
    const { ledger, cursors, timeZone, personas, now } = this.#parts;
    for (const { name } of personas()) {
      const lost = lostDays(cursors.get(name)?.until ?? now(), oldest, timeZone);
      const last = lost.at(-1);
      if (last === undefined) continue;
      const undecided: string[] = [];
      for (const day of lost) {
        const of = groupOf(name, day);
        const group = await ledger.group(of);
        if (group) await this.#failUnits(of, group);
        else undecided.push(day);
      }
      await this.#recordLost(name, undecided);
      await cursors.advance(name, endOfDay(last, timeZone));
    }
  }

  /** Days that are skipped together are recorded as one, the last of them. */
  async #recordLost(name: string, days: string[]): Promise<void> {
    const { ledger, now } = this.#parts;
    const last = days.at(-1);
    if (last === undefined) return;
    const others = days.length === 1 ? "" : `; with it ${days.length - 1} more, from ${days[0]}`;
    await ledger.decide(groupOf(name, last), skippedGroup(`${tooOld}${others}`, now()));
  }

  /** Fails the units that were decided and became too old before they began. */
  async #failUnits(of: Unit, { facets }: Group): Promise<void> {
    const { ledger, now } = this.#parts;
    for (const facet of facets) {
      const missed: UnitRecord = {
        state: "failed",
        attempts: 0,
        agent_id: "",
        started: now(),
        ended: now(),
        reason: tooOld,
      };
      await ledger.setRecord({ ...of, facet }, missed, 0);
    }
  }
}

/** Since when a schedule is on; one without a cursor isn't followed yet. */
const sinceOf = (cursors: Cursors, { name }: Scheduled) => cursors.get(name)?.since ?? Number.POSITIVE_INFINITY;

/** The occurrences of one persona's cron expression: decides which runs and which are skipped, and gives the next unit. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { Cursor } from "../../protocol/programs/schedule.ts";
import { type Cron, type Occurrence, occurrencesBetween } from "../calendar/cron.ts";
import { failedBefore, nextOfGroup, type UnitAttempt } from "./group.ts";
import { groupOf } from "./daily-runs.ts";
import { catchUpDays, chooseOccurrence, planGroup, skippedGroup, tooOld } from "../calendar/plan.ts";
import type { Scheduled } from "../calendar/scheduled.ts";

export type OccurrencesDeps = {
  ledger: ScheduleStore;
  timeZone: string;
  now: () => number;
  activityOn: (day: string) => FacetActivity[];
  startRevision: number;
};

/** Age at which a decision is made anew: the machine may have slept in between. */
const staleMs = 5000;

/** Before it nothing is caught up. */
const horizonOf = (now: number) => now - catchUpDays * 24 * 3_600_000;

/** The occurrences that are due and undecided, as far back as days are caught up. */
export function dueOccurrences(cron: Cron, cursor: Cursor, now: number, timeZone: string): Occurrence[] {
  return occurrencesBetween(cron, Math.max(cursor.until, horizonOf(now)), now, timeZone);
}

/** The occurrences that are undecided and too old now. */
export function lostOccurrences(cron: Cron, cursor: Cursor, now: number, timeZone: string): Occurrence[] {
  return occurrencesBetween(cron, cursor.until, horizonOf(now), timeZone);
}

/** The next unit, or null when nothing is due. One occurrence ends before the next is decided. */
export async function nextOfOccurrences(
  scheduled: Scheduled & { cron: Cron },
  parts: OccurrencesDeps,
): Promise<UnitAttempt | null> {
  const { ledger, timeZone, now, activityOn, startRevision } = parts;
  const { name, schedule, cron, missed } = scheduled;
  for (;;) {
    const { value: cursor, revision } = await ledger.cursor(name);
    if (cursor?.schedule !== schedule) return null; // it was turned off, or changed, meanwhile
    const at = now();
    const due = dueOccurrences(cron, cursor, at, timeZone);
    if (cursor.slot) {
      const { day, time } = cursor.slot;
      const of = groupOf(name, day, time);
      const group =
        (await ledger.group(of)) ?? (await ledger.decide(of, planGroup(scheduled, day, activityOn(day), at)));
      const again = due.length === 0 ? failedBefore(startRevision) : () => false;
      const turn = await nextOfGroup(of, group, ledger, again);
      if (turn) return turn;
    }
    if (cursor.skipped) await recordSkipped(name, cursor.skipped, at, ledger);
    const lost = lostOccurrences(cron, cursor, at, timeZone);
    const last = due.at(-1) ?? lost.at(-1);
    if (!last) return null;
    if (now() - at > staleMs) continue;
    const { run, skipped, reason } = chooseOccurrence(due, missed, at);
    const chosen = run && { day: run.day, time: run.time };
    const skippedNow = skippedEntry([...lost, ...skipped], reason || tooOld);
    await ledger.setCursor(name, { ...cursor, until: last.at, slot: chosen, skipped: skippedNow }, revision);
  }
}

/** Occurrences that are skipped together are reported as one, the last of them. */
function skippedEntry(skipped: Occurrence[], reason: string): Cursor["skipped"] {
  const [first, last] = [skipped[0], skipped.at(-1)];
  if (!first || !last) return undefined;
  const others = skipped.length === 1 ? "" : `; with it ${skipped.length - 1} more, from ${first.day} ${first.time}`;
  return { day: last.day, time: last.time, reason: `${reason}${others}` };
}

async function recordSkipped(
  name: string,
  { day, time, reason }: NonNullable<Cursor["skipped"]>,
  now: number,
  ledger: ScheduleStore,
): Promise<void> {
  const of = groupOf(name, day, time);
  if (!(await ledger.group(of))) await ledger.decide(of, skippedGroup(reason, now));
}

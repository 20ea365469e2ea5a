/** The slots of one persona with a cron expression: decides which is run and which are let go. Says which unit is next. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { Mark } from "../../protocol/programs/schedule.ts";
import { type Cron, type Slot, slotsBetween } from "./cron.ts";
import { failedBefore, nextOfGroup, type Turn } from "./group.ts";
import { groupOf } from "./night.ts";
import { catchUpDays, chooseSlot, planGroup, skippedGroup, tooOld } from "./plan.ts";
import type { Scheduled } from "./scheduled.ts";

export type SlotParts = {
  ledger: ScheduleStore;
  timeZone: string;
  now: () => number;
  activityOn: (day: string) => FacetActivity[];
  startRevision: number;
};

/** What was decided longer ago than this is decided anew: the machine may have slept in between. */
const staleMs = 5000;

/** Before it nothing is caught up. */
const horizonOf = (now: number) => now - catchUpDays * 24 * 3_600_000;

/** The slots that are due and undecided, as far back as days are caught up. */
export function dueSlots(cron: Cron, mark: Mark, now: number, timeZone: string): Slot[] {
  return slotsBetween(cron, Math.max(mark.until, horizonOf(now)), now, timeZone);
}

/** The slots that are undecided and too old now. */
export function lostSlots(cron: Cron, mark: Mark, now: number, timeZone: string): Slot[] {
  return slotsBetween(cron, mark.until, horizonOf(now), timeZone);
}

/** The next unit, or null when nothing is due. One slot ends before the next is decided. */
export async function nextOfSlots(scheduled: Scheduled & { cron: Cron }, parts: SlotParts): Promise<Turn | null> {
  const { ledger, timeZone, now, activityOn, startRevision } = parts;
  const { name, schedule, cron, missed } = scheduled;
  for (;;) {
    const { value: mark, revision } = await ledger.mark(name);
    if (mark?.schedule !== schedule) return null; // it was turned off, or changed, meanwhile
    const at = now();
    const due = dueSlots(cron, mark, at, timeZone);
    if (mark.slot) {
      const { day, time } = mark.slot;
      const of = groupOf(name, day, time);
      const group =
        (await ledger.group(of)) ?? (await ledger.decide(of, planGroup(scheduled, day, activityOn(day), at)));
      const again = due.length === 0 ? failedBefore(startRevision) : () => false;
      const turn = await nextOfGroup(of, group, ledger, again);
      if (turn) return turn;
    }
    if (mark.skipped) await recordSkipped(name, mark.skipped, at, ledger);
    const lost = lostSlots(cron, mark, at, timeZone);
    const last = due.at(-1) ?? lost.at(-1);
    if (!last) return null;
    if (now() - at > staleMs) continue;
    const { run, skipped, reason } = chooseSlot(due, missed, at);
    const slot = run && { day: run.day, time: run.time };
    const told = toldOf([...lost, ...skipped], reason || tooOld);
    await ledger.setMark(name, { ...mark, until: last.at, slot, skipped: told }, revision);
  }
}

/** Slots that are let go together are told as one, the last of them. */
function toldOf(skipped: Slot[], reason: string): Mark["skipped"] {
  const [first, last] = [skipped[0], skipped.at(-1)];
  if (!first || !last) return undefined;
  const others = skipped.length === 1 ? "" : `; with it ${skipped.length - 1} more, from ${first.day} ${first.time}`;
  return { day: last.day, time: last.time, reason: `${reason}${others}` };
}

async function recordSkipped(
  name: string,
  { day, time, reason }: NonNullable<Mark["skipped"]>,
  now: number,
  ledger: ScheduleStore,
): Promise<void> {
  const of = groupOf(name, day, time);
  if (!(await ledger.group(of))) await ledger.decide(of, skippedGroup(reason, now));
}

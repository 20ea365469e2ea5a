/** Plans what is due: the days that are over, the occurrences that were missed, the facets of a persona. Pure. */
import type { FacetActivity } from "../../journal/notes/activity.ts";
import type { Group } from "../../protocol/programs/schedule.ts";
import type { Occurrence } from "./cron.ts";
import { addDays, dayExists, dayOfWall, endOfDay, wallAt } from "./local-time.ts";
import type { Missed, Scheduled } from "./scheduled.ts";

/** How many days are caught up: from docs/contract.md. */
export const catchUpDays = 4;

/** Lateness from which a time counts as missed. A tick comes every 15 s, a restart takes seconds. */
const lateMs = 60_000;

/** Why what is older isn't caught up. */
export const tooOld = `missed: the last ${catchUpDays} days are caught up, and it is older`;

/** The last days that are over, at most four, the oldest first. */
export function lastDays(now: number, timeZone: string): string[] {
  const days: string[] = [];
  for (let day = addDays(today(now, timeZone), -1); days.length < catchUpDays; day = addDays(day, -1))
    if (dayExists(day, timeZone)) days.push(day);
  return days.toReversed();
}

/** Days that are over, weren't decided, and are too old now: from the first that ended after `until` to before `oldest`. */
export function lostDays(until: number, oldest: string, timeZone: string): string[] {
  const days: string[] = [];
  for (let day = addDays(dayOfWall(wallAt(until, timeZone)), -1); day < oldest; day = addDays(day, 1))
    if (dayExists(day, timeZone) && endOfDay(day, timeZone) > until) days.push(day);
  return days;
}

/** Why a persona skips a day that was seen to be over at `seen`, or null: each missed day runs, unless it says otherwise. */
export function whyNotDay(missed: Missed, day: string, seen: number, timeZone: string): string | null {
  const late = seen - endOfDay(day, timeZone);
  if (missed.kind === "skip" && late > lateMs) return `missed by ${durationText(late)}; its missed days are skipped`;
  if (missed.kind === "run-within" && late > Math.max(missed.ms, lateMs))
    return `missed by ${durationText(late)}; it runs within ${durationText(missed.ms)}`;
  return null;
}

/** Chooses from the due occurrences the one to run, and gives those to skip, with the reason. */
export function chooseOccurrence(
  due: Occurrence[],
  missed: Missed,
  now: number,
): { run: Occurrence | null; skipped: Occurrence[]; reason: string } {
  const last = due.at(-1);
  if (!last) return { run: null, skipped: [], reason: "" };
  const late = now - last.at;
  if (missed.kind === "skip" && late > lateMs)
    return { run: null, skipped: due, reason: `missed by ${durationText(late)}; its missed occurrences are skipped` };
  if (missed.kind === "run-within" && late > Math.max(missed.ms, lateMs))
    return {
      run: null,
      skipped: due,
      reason: `missed by ${durationText(late)}; it runs within ${durationText(missed.ms)}`,
    };
  return { run: last, skipped: due.slice(0, -1), reason: `missed; ${last.day} ${last.time} runs instead` };
}

/** Plans a persona's day: one run, or one for each facet that had something happen. */
export function planGroup({ persona }: Scheduled, day: string, facets: FacetActivity[], now: number): Group {
  const { multi_facet: isMulti, always } = persona.settings;
  if (!isMulti) return { facets: [null], skipped: [], ts: now };
  const group: Group = { facets: [], skipped: [], ts: now };
  for (const facet of facets.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const reason = whyNotFacet(facet, day, always ?? false);
    if (reason === null) group.facets.push(facet.name);
    else group.skipped.push({ facet: facet.name, reason });
  }
  if (facets.length === 0) group.skipped.push({ facet: null, reason: "the journal has no facets" });
  return group;
}

/** A group that doesn't run at all. */
export const skippedGroup = (reason: string, now: number): Group => ({
  facets: [],
  skipped: [{ facet: null, reason }],
  ts: now,
});

function whyNotFacet({ isMuted, activity }: FacetActivity, day: string, always: boolean): string | null {
  if (isMuted) return "the facet is muted";
  if (always || activity === "active") return null;
  return activity === "planned" ? `what was expected on ${day} hasn't occurred` : `no events on ${day}`;
}

const today = (now: number, timeZone: string) => dayOfWall(wallAt(now, timeZone));

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** The scheduled personas as rows: who, when next, and how it went last. */
import type { EntryKey, ScheduleLedger } from "../../bus/schedule/schedule-ledger.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Cursor } from "../../protocol/programs/schedule.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { nextOccurrence } from "../calendar/cron.ts";
import { dayOfWall, endOfDay, wallAt } from "../calendar/local-time.ts";
import { groupOf } from "../units/daily-runs.ts";
import { lastDays, lostDays } from "../calendar/plan.ts";
import { type Scheduled, scheduledPersonas } from "../calendar/scheduled.ts";
import { dueOccurrences } from "../units/occurrences.ts";
import { type HistoryRow, historyRows } from "./history-rows.ts";

export type ScheduleRow = {
  persona: string;
  source: Persona["source"];
  schedule: string;
  on: boolean;
  /** Why it is off. */
  reason: string | null;
  facets: "no" | "active" | "all";
  next: string | null;
  /** The latest occurrence, of all facets together. Null: nothing yet, or the bus isn't there to be asked. */
  last: { day: string; time: string | null; at: string } | null;
  result: HistoryRow["state"] | null;
  /** How many days or occurrences are due and haven't had their turn. */
  missed: number | null;
  when_missed: string;
};

export type ListParts = {
  personas: Persona[];
  settings: Settings;
  timeZone: string;
  now: number;
  /** Null: there is no bus. */
  ledger: ScheduleLedger | null;
};

export async function scheduleRows({ personas, settings, timeZone, now, ledger }: ListParts): Promise<ScheduleRow[]> {
  const { on, off } = scheduledPersonas(personas, settings);
  const history = ledger ? historyRows(await ledger.history(lastOfEach(await ledger.known()))) : [];
  const cursors = ledger ? await ledger.cursors() : new Map<string, Cursor>();
  const rows: ScheduleRow[] = [];
  for (const scheduled of on) {
    const { name, persona, cron } = scheduled;
    const next = cron ? nextOccurrence(cron, now, timeZone) : endOfDay(dayOfWall(wallAt(now, timeZone)), timeZone);
    rows.push({
      ...rowOf(persona, history),
      on: true,
      reason: null,
      next: next === null ? null : new Date(next).toISOString(),
      missed: ledger && (await countMissed(scheduled, cursors.get(name), ledger, timeZone, now)),
    });
  }
  for (const { persona, reason } of off)
    rows.push({ ...rowOf(persona, history), on: false, reason, next: null, missed: ledger && 0 });
  return rows;
}

/** The entries of each persona's last day or occurrence. */
function lastOfEach(known: EntryKey[]): EntryKey[] {
  const last = new Map<string, EntryKey>();
  for (const one of known) if (!last.has(one.persona)) last.set(one.persona, one);
  return known.filter(({ persona, day, time }) => last.get(persona)?.day === day && last.get(persona)?.time === time);
}

function rowOf({ name, source, settings: own }: Persona, history: HistoryRow[]) {
  const group = history.filter(({ persona }) => persona === name);
  const [newest] = group;
  const at =
    group
      .map((row) => row.at)
      .toSorted()
      .at(-1) ?? "";
  const { schedule = "", missed = "run-once", multi_facet: isMulti, always } = own;
  return {
    persona: name,
    source,
    schedule,
    facets: isMulti ? (always ? ("all" as const) : ("active" as const)) : ("no" as const),
    last: newest ? { day: newest.day, time: newest.time, at } : null,
    result: resultOf(group.map(({ state }) => state)),
    when_missed: typeof missed === "string" ? missed : `run-within: ${missed["run-within"]}`,
  };
}

/** The state that says most of several facets'. */
function resultOf(states: HistoryRow["state"][]): HistoryRow["state"] | null {
  return (["running", "failed", "done", "skipped"] as const).find((state) => states.includes(state)) ?? null;
}

async function countMissed(
  { name, schedule, cron }: Scheduled,
  cursor: Cursor | undefined,
  ledger: ScheduleLedger,
  timeZone: string,
  now: number,
): Promise<number> {
  if (cursor?.schedule !== schedule) return 0;
  if (cron) return dueOccurrences(cron, cursor, now, timeZone).length;
  const days = lastDays(now, timeZone);
  let count = lostDays(cursor.until, days[0] ?? "", timeZone).length;
  for (const day of days)
    if (endOfDay(day, timeZone) > cursor.since && !(await ledger.group(groupOf(name, day)))) count++;
  return count;
}

/** The schedule: who runs when, and how it went. */
import { ScheduleLedger } from "../../../bus/schedule/schedule-ledger.ts";
import { setSchedule } from "../../../journal/config/edit-settings.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { setPersonaSchedule } from "../../../personas/set-schedule.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { scheduledPersonas } from "../../../schedule/calendar/scheduled.ts";
import { historyRows } from "../../../schedule/overview/history-rows.ts";
import { monthHistory } from "../../../schedule/overview/month-history.ts";
import { monthOverview } from "../../../schedule/overview/month.ts";
import { scheduleRows } from "../../../schedule/overview/schedule-rows.ts";
import { scheduledPersona } from "../../../schedule/units/asked-run.ts";
import { explainSchedule } from "../../../schedule/words/explained.ts";
import { wordsOfSchedule } from "../../../schedule/words/words-of-schedule.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { type Machine, UnavailableError } from "../../machine/machine.ts";
import { busAs, type UsersBus } from "../../machine/base/bus-as.ts";

export type OpenLedger = UsersBus & { ledger: ScheduleLedger };

/** @throws UnavailableError */
export async function openLedger(machine: Machine): Promise<OpenLedger> {
  const open = await busAs(machine, "schedule");
  return { ...open, ledger: await ScheduleLedger.open(open.bus) };
}

/** Opens the ledger if there is a bus: what stands in files can be told without one. */
const ledgerIfThere = (machine: Machine): Promise<OpenLedger | null> =>
  openLedger(machine).catch((error: unknown) => {
    if (error instanceof UnavailableError) return null;
    throw error;
  });

export async function listSchedules(machine: Machine) {
  const { journal, timeZone } = machine;
  await using open = await ledgerIfThere(machine);
  const rows = await scheduleRows({
    personas: [...loadPersonas(journal).personas.values()],
    settings: machine.settings(),
    timeZone,
    now: Date.now(),
    ledger: open?.ledger ?? null,
  });
  return { time_zone: timeZone, items: rows.map((row) => ({ ...row, words: wordsIfAny(row.schedule) })), next: null };
}

/** Lists what ran, the newest first. */
export async function scheduleHistory(
  machine: Machine,
  { day, persona, limit }: { day?: string | undefined; persona?: string | undefined; limit: number },
) {
  await using open = await openLedger(machine);
  const known = (await open.ledger.known(day)).filter((key) => persona === undefined || key.persona === persona);
  // An entry is a row or more, but for groups of which nothing was let go.
  const rows = historyRows(await open.ledger.history(known.slice(0, limit * 4)));
  return { items: rows.slice(0, limit), next: null };
}

export async function scheduleMonth(machine: Machine, asked: string | undefined) {
  const { journal, timeZone } = machine;
  const now = Date.now();
  const month = asked ?? dayOf(now, timeZone).slice(0, 6);
  await using open = await ledgerIfThere(machine);
  const { on } = scheduledPersonas([...loadPersonas(journal).personas.values()], machine.settings());
  const history = open ? await monthHistory(open.ledger, month) : [];
  const days = monthOverview({ month, on, history, timeZone, now });
  if (!days) throw new WorkspaceError("invalid", `"${month}" is not a month: expected YYYYMM`);
  return { time_zone: timeZone, month, days };
}

export const explained = ({ timeZone }: Machine, words: string) => explainSchedule(words, Date.now(), timeZone);

/** Sets a persona's schedule, and turns it on or off. */
export async function changeSchedule(
  machine: Machine,
  persona: string,
  { on, words }: { on?: boolean | undefined; words?: string | null | undefined },
) {
  const { journal } = machine;
  if (words !== undefined)
    await setPersonaSchedule(journal, persona, words === null ? null : explained(machine, words).schedule);
  if (on !== undefined) {
    scheduledPersona(persona, loadPersonas(journal));
    await setSchedule(journal, persona, on);
  }
  const settings = machine.settings();
  const schedules = on === undefined ? settings.schedules : { ...settings.schedules, [persona]: on };
  const found = loadPersonas(journal).personas.get(persona);
  if (!found) throw new WorkspaceError("not_found", `there is no persona "${persona}"`);
  const { schedule = null } = found.settings;
  const isOn = scheduledPersonas([found], { ...settings, ...(schedules && { schedules }) }).on.length > 0;
  return { persona, schedule, words: schedule === null ? null : wordsIfAny(schedule), on: isOn };
}

function wordsIfAny(schedule: string): string | null {
  try {
    return wordsOfSchedule(schedule);
  } catch {
    return null; // what is wrong with it stands in the reason for which it is off
  }
}

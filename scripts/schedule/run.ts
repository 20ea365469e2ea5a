/** `cortex schedule run`: a day's units now, one after the other, those that haven't been done. */
import type { Personas } from "../../personas/load.ts";
import { readSettings } from "../../journal/config/settings.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { isDay } from "../../protocol/names/names.ts";
import type { UnitRecord, Work } from "../../protocol/programs/schedule.ts";
import { maxAttempts } from "../../schedule/units/group.ts";
import { checkAskedDay, namedSchedule, ofFacet } from "../../schedule/units/asked-run.ts";
import { unitName } from "../../schedule/units/unit-queue.ts";
import { type RanDay, runDay } from "../../schedule/units/run-day.ts";
import { type Scheduled, scheduledPersonas } from "../../schedule/calendar/scheduled.ts";
import { noBusError, usageError } from "../command/command.ts";
import { openLedger } from "./open-ledger.ts";

export type RunOptions = {
  day?: string | undefined;
  persona?: string | undefined;
  facet?: string | undefined;
  force: boolean;
  json: boolean;
};

export async function runSchedule(env: Environment, loaded: Personas, options: RunOptions): Promise<number> {
  const { facet, force, json } = options;
  const day = checkAskedDay(named(options.day), env.timeZone);
  const settings = readSettings(env.journalPath);
  const scheduled =
    options.persona === undefined ? dailyOnes(loaded, settings) : [namedSchedule(options.persona, loaded)];
  const chosen = facet === undefined ? scheduled : ofFacet(env.journalPath, facet, scheduled);
  await using open = await openLedger(env);
  const ran = await runDay({
    day,
    scheduled: chosen,
    facet,
    force,
    journal: env.journalPath,
    bus: open.bus,
    ledger: open.ledger,
    settings,
    persona: (name) => loaded.personas.get(name),
    onNobody: () => {
      throw noBusError("no cortex takes requests; the request is stored, and runs when one starts");
    },
    onWork: tellWork,
    signal: new AbortController().signal,
  });
  if (json) process.stdout.write(`${JSON.stringify(documentOf(day, ran))}\n`);
  else printRanDay(day, ran);
  return exitCodeOf(ran);
}

function named(day: string | undefined): string {
  if (day !== undefined && isDay(day)) return day;
  throw usageError(`--day "${day ?? ""}": expected a date as YYYYMMDD`, "for example: --day 20250109");
}

function dailyOnes(loaded: Personas, settings: Parameters<typeof scheduledPersonas>[1]): Scheduled[] {
  const daily = scheduledPersonas([...loaded.personas.values()], settings).on.filter(({ cron }) => cron === null);
  if (daily.length > 0) return daily;
  throw usageError("no daily schedule is on", "see: cortex schedule list; turn one on: cortex schedule enable NAME");
}

function tellWork({ unit, attempt, request }: Work, { state, reason }: UnitRecord): void {
  const what = `${unitName(unit)} (run ${request.ts}${attempt > 1 ? `, attempt ${attempt}` : ""})`;
  const sign = { running: "…", done: "✓", failed: "✗" }[state];
  process.stderr.write(`${sign} ${what}${reason === undefined ? "" : `: ${reason}`}\n`);
}

function printRanDay(day: string, { units, skipped }: RanDay): void {
  const lines = units
    .filter(({ ran }) => !ran)
    .map(({ unit, record: { state, attempts, agent_id } }) =>
      state === "failed"
        ? `✗ ${unitName(unit)}: failed ${attempts} times, the maximum is ${maxAttempts}; to run it again: --force`
        : `- ${unitName(unit)}: done before, run ${agent_id}; to run it again: --force`,
    );
  for (const { unit, reason } of skipped) lines.push(`- ${unitName(unit)}: ${reason}`);
  if (units.length === 0 && skipped.length === 0) lines.push(`nothing to do on ${day}`);
  if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
}

function documentOf(day: string, ran: RanDay) {
  return {
    ok: exitCodeOf(ran) === exitCodes.done,
    day,
    units: [
      ...ran.units.map(({ unit, record: { state, attempts, agent_id, reason = null }, ran: isNew }) => {
        const { persona, facet } = unit;
        return { persona, facet, state, ran: isNew, attempts, agent_id, reason };
      }),
      ...ran.skipped.map(({ unit: { persona, facet }, reason }) => {
        return { persona, facet, state: "skipped", ran: false, attempts: 0, agent_id: null, reason };
      }),
    ],
  };
}

/** Nothing but what was done before: refused, so that a script sees that it did nothing. */
function exitCodeOf({ units }: RanDay): number {
  if (units.some(({ record }) => record.state !== "done")) return exitCodes.failed;
  return units.length > 0 && units.every(({ ran }) => !ran) ? exitCodes.refused : exitCodes.done;
}

/** `cortex schedule`: what runs by itself, when, and how it went. */
import { setSchedule } from "../../../journal/config/edit-settings.ts";
import { readSettings, SettingsError } from "../../../journal/config/settings.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { isDay } from "../../../protocol/names/names.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { PersonaFileError } from "../../../personas/persona-files.ts";
import { ScheduleWordsError } from "../../../schedule/words/schedule-of-words.ts";
import { ScheduleRefusal, scheduledPersona } from "../../../schedule/units/asked-run.ts";
import { historyRows } from "../../../schedule/overview/history-rows.ts";
import { historyTable } from "../../schedule/history-table.ts";
import { scheduleRows } from "../../../schedule/overview/schedule-rows.ts";
import { scheduleTable } from "../../schedule/schedule-table.ts";
import { openLedger } from "../../schedule/open-ledger.ts";
import { runSchedule } from "../../schedule/run.ts";
import { explainAction, monthAction, setAction } from "../../schedule/calendar-actions.ts";
import { asTyped } from "../../command/typed-command.ts";

const help = `
Usage: cortex schedule list [--json]
       cortex schedule run --day YYYYMMDD [--persona NAME] [--facet NAME] [--force] [--json]
       cortex schedule history [--day YYYYMMDD] [-n COUNT] [--json]
       cortex schedule month [YYYYMM] [--json]
       cortex schedule explain WORDS [--json]
       cortex schedule set NAME WORDS [--json]
       cortex schedule enable|disable NAME [--json]

  list      the personas with a schedule: the next time, the last outcome, missed runs
  run       do the runs of a day that weren't done, one after the other, and wait: the daily personas, or --persona
            (also one whose schedule is off). A run that was done is refused, a failed one runs three times in all,
            unless --force. Ctrl-C leaves the run running
  history   the runs and their outcomes, also those that didn't run, and why; the newest first (50, or -n)
  month     the days of a month (this one): what ran, and what is to come
  explain   what words such as "every weekday at 7" mean as a schedule, a schedule in words, and the next times
  set       give a persona of the journal a schedule, in words or as a cron expression; "never" takes it away
  enable    turn a persona's schedule on, in cortex.json
  disable   turn it off

Exit codes of run: 0 done, 1 one failed, 2 usage, 3 all were done before, 69 no bus or no cortex.
`;

const defaultCount = 50;
const jsonOption = { json: { type: "boolean" } } as const;

export const command: Command = {
  help,
  run: async ([name, ...args]) => {
    const actions: Record<string, (args: string[]) => Promise<number>> = {
      list,
      run: runCommand,
      history,
      month: monthAction,
      explain: explainAction,
      set: setAction,
      enable: (rest) => turn(rest, true),
      disable: (rest) => turn(rest, false),
    };
    const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action) return action(args).catch(explain);
    throw unknownName("action", name, Object.keys(actions), "cortex schedule");
  },
};

function explain(error: unknown): never {
  if (error instanceof ScheduleRefusal) throw usageError(error.message, error.hint, error);
  if (error instanceof ScheduleWordsError) throw usageError(error.message, "see: cortex schedule explain", error);
  if (error instanceof PersonaFileError) throw usageError(error.message, "see: cortex persona list", error);
  if (!(error instanceof SettingsError)) throw error;
  throw new CommandError("config", error.message, "fix it, then: cortex config check", exitCodes.usage, {
    cause: error,
  });
}

async function list(args: string[]): Promise<number> {
  const { values } = parseCommandLine(args, jsonOption, "cortex schedule", 0);
  const env = readEnvironment();
  await using open = await openLedger(env).catch((error: unknown) => {
    // Most of it stands in files: it can be told without a bus.
    if (error instanceof CommandError && error.exitCode === exitCodes.noBus) return null;
    throw error;
  });
  const schedules = await scheduleRows({
    personas: [...loadPersonas(env.journalPath).personas.values()],
    settings: readSettings(env.journalPath),
    timeZone: env.timeZone,
    now: Date.now(),
    ledger: open?.ledger ?? null,
  });
  if (values.json) process.stdout.write(`${JSON.stringify({ time_zone: env.timeZone, schedules })}\n`);
  else {
    process.stdout.write(`${scheduleTable(schedules, env.timeZone)}\n`);
    if (!open) process.stderr.write(asTyped("nothing runs here: what came last isn't known (start it: cortex up)\n"));
  }
  return exitCodes.done;
}

async function runCommand(args: string[]): Promise<number> {
  const text = { type: "string" } as const;
  const options = { ...jsonOption, day: text, persona: text, facet: text, force: { type: "boolean" } } as const;
  const { values } = parseCommandLine(args, options, "cortex schedule", 0);
  const { json = false, force = false, ...fields } = values;
  const env = readEnvironment();
  return runSchedule(env, loadPersonas(env.journalPath), { ...fields, json, force });
}

async function history(args: string[]): Promise<number> {
  const options = { ...jsonOption, day: { type: "string" }, count: { type: "string", short: "n" } } as const;
  const { values } = parseCommandLine(args, options, "cortex schedule", 0);
  const { day } = values;
  if (day !== undefined && !isDay(day))
    throw usageError(`--day "${day}": expected a date as YYYYMMDD`, "for example: --day 20250109");
  const count = values.count === undefined ? defaultCount : Number(values.count);
  if (!Number.isInteger(count) || count < 1)
    throw usageError(`-n "${values.count}": expected a number from 1`, "for example: -n 20");
  await using open = await openLedger(readEnvironment());
  // An entry is a row or more, but for groups of which nothing was let go: about half.
  const known = (await open.ledger.known(day)).slice(0, count * 4);
  const rows = historyRows(await open.ledger.history(known)).slice(0, count);
  if (values.json) process.stdout.write(`${JSON.stringify({ history: rows })}\n`);
  else process.stdout.write(rows.length > 0 ? `${historyTable(rows)}\n` : "nothing yet\n");
  return exitCodes.done;
}

async function turn(args: string[], isOn: boolean): Promise<number> {
  const { values, positionals } = parseCommandLine(args, jsonOption, "cortex schedule", 1);
  const [name] = positionals;
  if (name === undefined) throw usageError("no persona", "for example: cortex schedule enable daily-digest");
  const { journalPath } = readEnvironment();
  const { settings } = scheduledPersona(name, loadPersonas(journalPath));
  await setSchedule(journalPath, name, isOn);
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: true, persona: name, on: isOn })}\n`);
  else process.stdout.write(`the schedule of ${name} (${settings.schedule}) is ${isOn ? "on" : "off"}\n`);
  if (isOn && settings.disabled) process.stderr.write(`${name} is disabled all the same: see its settings\n`);
  return exitCodes.done;
}

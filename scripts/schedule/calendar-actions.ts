/** `cortex schedule month`, `explain` and `set`: when runs come, and what a schedule means. */
import { readSettings } from "../../journal/config/settings.ts";
import { loadPersonas } from "../../personas/load.ts";
import { setPersonaSchedule } from "../../personas/set-schedule.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { scheduledPersonas } from "../../schedule/calendar/scheduled.ts";
import { type MonthDay, monthOverview } from "../../schedule/overview/month.ts";
import { monthHistory } from "../../schedule/overview/month-history.ts";
import { explainSchedule } from "../../schedule/words/explained.ts";
import { columns } from "../command/layout/columns.ts";
import { CommandError, parseCommandLine, usageError } from "../command/command.ts";
import { openLedger } from "./open-ledger.ts";

const options = { json: { type: "boolean" } } as const;

export async function monthAction(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex schedule", 1);
  const env = readEnvironment();
  const { journalPath: journal, timeZone } = env;
  const now = Date.now();
  const [month = dayOf(now, timeZone).slice(0, 6)] = positionals;
  // What is to come stands in files: it can be told without a bus.
  await using open = await openLedger(env).catch((error: unknown) => {
    if (error instanceof CommandError && error.exitCode === exitCodes.noBus) return null;
    throw error;
  });
  const { on } = scheduledPersonas([...loadPersonas(journal).personas.values()], readSettings(journal));
  const history = open ? await monthHistory(open.ledger, month) : [];
  const days = monthOverview({ month, on, history, timeZone, now });
  if (!days)
    throw usageError(`"${month}" is not a month: expected YYYYMM`, "for example: cortex schedule month 202501");
  process.stdout.write(values.json ? `${JSON.stringify({ time_zone: timeZone, month, days })}\n` : `${table(days)}\n`);
  return exitCodes.done;
}

function table(days: MonthDay[]): string {
  const rows = days.flatMap(({ day, cells }) =>
    cells.map(({ persona, done, failed, skipped, running, upcoming, times }) => [
      day,
      persona,
      [
        [done, "done"],
        [failed, "failed"],
        [skipped, "skipped"],
        [running, "running"],
        [upcoming, "to come"],
      ]
        .filter(([count]) => count !== 0)
        .map((part) => part.join(" "))
        .join(", "),
      times.map((time) => (time === null ? "after midnight" : `${time.slice(0, 2)}:${time.slice(2)}`)).join(" "),
    ]),
  );
  return rows.length === 0 ? "nothing in this month" : columns([["DAY", "PERSONA", "RUNS", "AT"], ...rows]);
}

export async function explainAction(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex schedule", 20);
  const explained = explainSchedule(positionals.join(" "), Date.now(), readEnvironment().timeZone);
  const { schedule, words, next } = explained;
  const text = [`${words}`, `schedule  ${schedule}`, ...next.map((at) => `next      ${at}`)].join("\n");
  process.stdout.write(`${values.json ? JSON.stringify(explained) : text}\n`);
  return exitCodes.done;
}

export async function setAction(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex schedule", 20);
  const [name, ...words] = positionals;
  if (name === undefined || words.length === 0)
    throw usageError(
      "expected a persona and when it runs",
      'for example: cortex schedule set reviewer "every weekday at 7"',
    );
  const { journalPath: journal, timeZone } = readEnvironment();
  const said = words.join(" ");
  const explained = said === "never" ? null : explainSchedule(said, Date.now(), timeZone);
  await setPersonaSchedule(journal, name, explained?.schedule ?? null);
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: true, persona: name, ...explained })}\n`);
  else process.stdout.write(`${name}: ${explained?.words ?? "no schedule"}\n`);
  return exitCodes.done;
}

/** `cortex cost`: what runs have used and cost, from their files. Needs no bus. */
import { messageOf } from "../../files/error-message.ts";
import { runCosts } from "../../journal/runs/costs.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { isDay } from "../../protocol/names/names.ts";
import { columns } from "../command/columns.ts";
import { type Command, parseCommandLine, usageError } from "../command/command.ts";
import { type CostReport, type CostRow, costReport, type Grouping, groupings } from "../runs/cost-report.ts";

const help = `
Usage: cortex cost [--day DAY | --from DAY --to DAY] [--by day|persona|backend|model] [--json]

Shows usage and cost of runs: by default of the last 30 days, by day; of a single day, by persona.
Days are YYYYMMDD in your time zone (CORTEX_TZ). Without --to, --from means up to today.
Every model call of every run counts. A cost that wasn't reported is shown as unknown, never guessed.
Exits 1 when a run's file can't be read, because the sum is then incomplete.
`;

const shownDays = 30;
const dayMs = 24 * 3_600_000;
/** Wherever one is, a local day begins at most this long before or after the same day in UTC. */
const zoneMs = 15 * 3_600_000;

export const command: Command = {
  help,
  run: async (args) => {
    const text = { type: "string" } as const;
    const options = { json: { type: "boolean" }, day: text, from: text, to: text, by: text } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex cost");
    if (positionals.length > 0)
      throw usageError(`unknown argument "${positionals[0]}"`, "for a day: cortex cost --day 20250109");
    const { journalPath, timeZone } = readEnvironment();
    const { from, to } = daysOf(values, timeZone);
    const by = groupingOf(values.by ?? (from === to ? "persona" : "day"));
    const unread: string[] = [];
    const costs = await runCosts(journalPath, startOf(from) - zoneMs, (path, error) => {
      unread.push(path);
      process.stderr.write(`can't read ${path}: ${messageOf(error)}\n`);
    });
    const report = costReport(costs, by, { from, to, timeZone });
    const document = { from, to, time_zone: timeZone, by, ...report };
    process.stdout.write(values.json ? `${JSON.stringify(document)}\n` : show(report, by, { from, to }));
    return unread.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

type Asked = { day?: string | undefined; from?: string | undefined; to?: string | undefined };

function daysOf({ day, from, to }: Asked, timeZone: string): { from: string; to: string } {
  for (const [option, value] of Object.entries({ day, from, to }))
    if (value !== undefined && !isDay(value))
      throw usageError(`--${option} "${value}": expected a date as YYYYMMDD`, `for example: --${option} 20250109`);
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw usageError("--day with --from or --to: expected one or the other", "see: cortex cost --help");
  if (day !== undefined) return { from: day, to: day };
  if (from === undefined && to !== undefined)
    throw usageError(`--to ${to} without --from`, `for example: --from ${to} --to ${to}`);
  const today = dayOf(Date.now(), timeZone);
  const last = to ?? today;
  const first = from ?? dayOf(Date.now() - (shownDays - 1) * dayMs, timeZone);
  if (first > last) throw usageError(`--from ${first} is after ${last}`, "see: cortex cost --help");
  return { from: first, to: last };
}

function groupingOf(given: string): Grouping {
  const known = groupings.find((name) => name === given);
  if (known === undefined)
    throw usageError(`--by "${given}": expected one of ${groupings.join(", ")}`, "see: cortex cost --help");
  return known;
}

/** The day in UTC, in ms. */
const startOf = (day: string) => Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));

function show({ rows, total }: CostReport, by: Grouping, { from, to }: { from: string; to: string }): string {
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
  if (rows.length === 0) return `no runs ${days}\n`;
  const head = [by.toUpperCase(), "RUNS", "CALLS", "INPUT", "CACHED", "OUTPUT", "COST IN USD"];
  const body = rows.map((row) => [row.name, ...cells(row)]);
  return `${columns([head, ...body, ["total", ...cells(total)]])}\n`;
}

function cells(row: CostRow): string[] {
  const counts = [row.runs, row.calls, row.input_tokens, row.cached_input_tokens, row.output_tokens];
  return [...counts.map((count) => count.toLocaleString("en-US")), costCell(row)];
}

function costCell({ cost_usd, known_cost_usd, unpriced_tokens, unknown_runs }: CostRow): string {
  if (cost_usd !== null) return cost_usd.toFixed(4);
  const why = [
    ...(unpriced_tokens > 0 ? [`${unpriced_tokens.toLocaleString("en-US")} tokens without a known price`] : []),
    ...(unknown_runs > 0 ? [`${unknown_runs} ${unknown_runs === 1 ? "run" : "runs"} that reported no usage`] : []),
  ];
  const known = known_cost_usd > 0 ? `${known_cost_usd.toFixed(4)} + unknown` : "unknown";
  return why.length > 0 ? `${known} (${why.join(", ")})` : `${known} (calls that reported no tokens)`;
}

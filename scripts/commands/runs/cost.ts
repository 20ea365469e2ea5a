/** `cortex cost`: what runs have used and cost, from their files. Needs no bus. */
import { startOfDay } from "../../../protocol/names/day.ts";
import { messageOf } from "../../../files/errors/error-message.ts";
import { costOwners } from "../../../journal/agents/cost-owners.ts";
import {
  type CostReport,
  type CostRow,
  costReport,
  type Grouping,
  groupings,
} from "../../../journal/costs/cost-report.ts";
import { usableSettings } from "../../../journal/config/settings.ts";
import { limitsToday } from "../../../web/machine/costs/get-cost.ts";
import { runCosts } from "../../../journal/costs/costs.ts";
import { cleaned } from "../../../proc/logging/terminal.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { isDay } from "../../../protocol/names/names.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";

const help = `
Usage: cortex cost [--day DAY | --from DAY --to DAY] [--by day|persona|model|agent|task|backend] [--json]
       cortex cost --limits [--json]

Shows usage and cost of runs: by default of the last 30 days, by day; of a single day, by persona.
Days are YYYYMMDD in your time zone (CORTEX_TZ). Without --to, --from means up to today.
By agent, the runs of its tasks are in it; by task, each task stands by itself, and "none" is what no task has run.
Every model call of every run counts. A cost that wasn't reported is shown as unknown, never guessed.
--limits shows today's limits and what is spent of them: budgets of the settings, and agents that clocks wake.
Tokens without a known price count there by a guess. Budgets of workspaces are told by the API alone (cost.get).
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
    const options = {
      json: { type: "boolean" },
      limits: { type: "boolean" },
      day: text,
      from: text,
      to: text,
      by: text,
    } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex cost");
    if (positionals.length > 0)
      throw usageError(`unknown argument "${positionals[0]}"`, "for a day: cortex cost --day 20250109");
    const { journalPath, timeZone } = readEnvironment();
    if (values.limits) return showLimits(values, journalPath, timeZone);
    const { from, to } = daysOf(values, timeZone);
    const by = groupingOf(values.by ?? (from === to ? "persona" : "day"));
    const unread: string[] = [];
    const costs = await runCosts(journalPath, startOfDay(from) - zoneMs, (path, error) => {
      unread.push(path);
      process.stderr.write(`can't read ${path}: ${messageOf(error)}\n`);
    });
    const { nameOf, ...owners } = costOwners(journalPath);
    const report = costReport(costs, by, { from, to, timeZone, ...owners });
    const document = { from, to, time_zone: timeZone, by, ...report };
    const shownName = (name: string) => named(name, nameOf(by, name));
    process.stdout.write(values.json ? `${JSON.stringify(document)}\n` : show(report, by, { from, to }, shownName));
    return unread.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

/** Today's limits. @throws CommandError with options of the sums, which have none */
async function showLimits(
  { json, ...sums }: Asked & { json?: boolean | undefined; by?: string | undefined; limits?: boolean | undefined },
  journal: string,
  timeZone: string,
): Promise<number> {
  if ([sums.day, sums.from, sums.to, sums.by].some((value) => value !== undefined))
    throw usageError("--limits with days or --by: limits are today's", "see: cortex cost --help");
  let isUnread = false;
  const settings = () => usableSettings(journal).settings;
  const limits = await limitsToday({ journal, settings, timeZone }, null, (path, error) => {
    isUnread = true;
    process.stderr.write(`can't read ${path}: ${messageOf(error)}\n`);
  });
  const rows = limits.map(({ scope, name, limit_usd: usd, limit_tokens: tokens, spent_usd, spent_tokens, share }) => [
    name === null ? scope : `${scope} ${cleaned(name)}`,
    usd === null ? "-" : `${spent_usd.toFixed(4)} of ${usd}`,
    tokens === null ? "-" : `${spent_tokens.toLocaleString("en-US")} of ${tokens.toLocaleString("en-US")}`,
    `${Math.round(share * 100)} %`,
  ]);
  const table = columns([["LIMIT", "USD", "TOKENS", "SPENT"], ...rows]);
  const text = limits.length > 0 ? table : "no limits of a day: see budgets in cortex.json";
  process.stdout.write(`${json ? JSON.stringify({ limits }) : text}\n`);
  return isUnread ? exitCodes.failed : exitCodes.done;
}

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

const named = (id: string, name: string | undefined) => (name === undefined ? id : `${cleaned(name)} ${id}`);

type Days = { from: string; to: string };

function show({ rows, total }: CostReport, by: Grouping, { from, to }: Days, nameOf: (name: string) => string): string {
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
  if (rows.length === 0) return `no runs ${days}\n`;
  const head = [by.toUpperCase(), "RUNS", "CALLS", "INPUT", "CACHED", "OUTPUT", "COST IN USD"];
  const body = rows.map((row) => [nameOf(row.name), ...cells(row)]);
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

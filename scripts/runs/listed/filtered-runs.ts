/** Runs by the filters of the API's operation `run.list`, from the same index: it is brought up to date first. */
import { messageOf } from "../../../files/errors/error-message.ts";
import { RunIndex } from "../../../journal/run-index/run-index.ts";
import type { RunRow } from "../../../journal/run-index/run-row.ts";
import { type RunSummary, summaryOf } from "../../../journal/runs/list-runs.ts";
import { runFile, runState } from "../../../journal/runs/run-files.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { RunQuery, RunState } from "../../../web/machine/records/run-records.ts";
import { findRuns } from "../../../web/machine/runs/find-runs.ts";
import { indexQuery } from "../../../web/machine/runs/list-runs.ts";
import { rowAsItIs } from "../../../web/machine/runs/liveness.ts";
import { WaitingRuns } from "../../../web/machine/runs/waiting-runs.ts";
import { CommandError, usageError } from "../../command/command.ts";
import { asItIs, queuedRuns } from "./runs-now.ts";

/** The values of the options, by their names. */
export type RunFilters = Readonly<Record<string, string | undefined>>;

type Place = { journal: string; timeZone: string };
type Wanted = { count: number; isWanted: (run: RunSummary) => boolean };

/** How many rows are looked at together. */
const pageSize = 200;

/** Lists the newest runs that fit. @throws CommandError for a value that a filter doesn't take */
export async function filteredRuns(
  { journal, timeZone }: Place,
  filters: RunFilters,
  { count, isWanted }: Wanted,
): Promise<RunSummary[]> {
  const query = indexQuery(queryOf(filters), timeZone);
  using index = await freshIndex(journal);
  const sources = {
    index,
    waiting: new WaitingRuns(journal, (id) => index.get(id) !== null),
    asItIs: (row: RunRow) => rowAsItIs(journal, row),
  };
  const found: RunSummary[] = [];
  let before: string | undefined;
  for (;;) {
    const { items, isMore } = findRuns(sources, { ...query, before }, pageSize);
    for (const { id } of items) {
      const run = await summaryNow(journal, id);
      if (run && isWanted(run)) found.push(run);
      if (found.length === count) return found;
    }
    before = items.at(-1)?.id;
    if (!isMore || before === undefined) return found;
  }
}

async function freshIndex(journal: string): Promise<RunIndex> {
  let index: RunIndex | null = null;
  try {
    index = new RunIndex(journal, {
      onProblem: (error) => process.stderr.write(`a run can't be read into the index: ${messageOf(error)}\n`),
    });
    await index.refresh();
    return index;
  } catch (error) {
    index?.[Symbol.dispose]();
    const remedy = "without a filter none is needed: cortex runs list";
    const message = `the index of runs can't be used, .run/runs.sqlite: ${messageOf(error)}`;
    throw new CommandError("failed", message, remedy, exitCodes.failed);
  }
}

/** The run as lists show it; null when it is gone meanwhile. */
async function summaryNow(journal: string, agentId: string): Promise<RunSummary | null> {
  const path = runFile(journal, agentId);
  if (path === null) return queuedRuns(journal).find((run) => run.agent_id === agentId) ?? null;
  const run = await summaryOf({ path, agentId, isActive: runState(journal, agentId) === "active" });
  return run && asItIs(journal, run);
}

const states = RunState.options.join(", ");

/** The remedy for a value that can't be, by its filter. */
const remedies: Readonly<Record<string, string>> = {
  state: `states, with commas between: ${states}`,
  day: "for example: --day 20250109",
  day_to: "for example: --day 20250109 --day-to 20250131",
};

function queryOf({ "day-to": dayTo, ...filters }: RunFilters): RunQuery {
  const parsed = RunQuery.safeParse({ ...filters, ...(dayTo !== undefined && { day_to: dayTo }) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const option = name.replace("_", "-");
  const value = option === "day-to" ? dayTo : filters[option];
  throw usageError(`--${option} "${value}": ${issue?.message ?? ""}`, remedies[name] ?? "see: cortex runs --help");
}

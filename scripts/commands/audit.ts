/** `cortex audit`: whether runs' files still say what was written. */
import { runFiles } from "../../journal/list-runs.ts";
import type { ChainReport } from "../../journal/hash-chain.ts";
import { runDay, runFile } from "../../journal/run-files.ts";
import { verifyRun } from "../../journal/verify-run.ts";
import { readEnvironment } from "../../proc/environment.ts";
import { exitCodes } from "../../protocol/exit-codes.ts";
import { isDay } from "../../protocol/names.ts";
import { columns } from "../columns.ts";
import { type Command, parseCommandLine, usageError } from "../command.ts";
import { findRun } from "../find-run.ts";

const help = `
Usage: cortex audit verify ID… [--json]
       cortex audit verify --day YYYYMMDD | --all [--json]

Each line of a run's file carries the hash of the line before it. A line that was changed, removed, added between others
or moved is found and named; so is an ended run's file that has lost its last word. Exit 1 when anything was found.

  --day    all runs of a day (UTC, as the folders are named)
  --all    all runs

What a chain alone can't show: lines added or removed behind the last word, the end of a run in progress, and a file that
was written anew with all of its hashes. For that, keep the heads elsewhere (--json prints each file's, the hash of its
last line): a head that was kept is still the file's head, or stands in a later line as "prev".

"not chained": a file from before there were hashes, or of one line.
`;

export const command: Command = {
  help,
  run: async ([name, ...args]) => {
    if (name !== "verify")
      throw usageError(`unknown action "${name ?? ""}": the only action is verify`, "see: cortex audit --help");
    return verify(args);
  },
};

const options = { json: { type: "boolean" }, all: { type: "boolean" }, day: { type: "string" } } as const;

type Verified = ChainReport & { agent_id: string; path: string };

async function verify(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex audit");
  const { journalPath } = readEnvironment();
  const runs: Verified[] = [];
  for (const agentId of wanted(journalPath, positionals, values)) {
    const report = await verifyOne(journalPath, agentId);
    if (report) runs.push(report);
  }
  const count = (state: ChainReport["state"]) => runs.filter((run) => run.state === state).length;
  const totals = { intact: count("intact"), not_chained: count("not_chained"), broken: count("broken") };
  if (values.json) process.stdout.write(`${JSON.stringify({ runs, totals })}\n`);
  else process.stdout.write(`${asText(runs, positionals.length > 0, totals)}\n`);
  return totals.broken > 0 ? exitCodes.failed : exitCodes.done;
}

function wanted(
  journal: string,
  given: string[],
  { all, day }: { all?: boolean | undefined; day?: string | undefined },
): Iterable<string> {
  const ways = [given.length > 0, day !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1) throw usageError("which runs? expected one of ID…, --day and --all", "see: cortex audit --help");
  if (given.length > 0) return given.map((id) => findRun(journal, id));
  if (day !== undefined && !isDay(day))
    throw usageError(`--day "${day}": expected a date as YYYYMMDD`, "for example: --day 20250109");
  return runFiles(journal)
    .map(({ agentId }) => agentId)
    .filter((agentId) => day === undefined || runDay(agentId) === day);
}

/** Null when there is no file any more: it was pruned meanwhile, or the run waits. */
async function verifyOne(journal: string, agentId: string): Promise<Verified | null> {
  for (let path = runFile(journal, agentId); path !== null; path = runFile(journal, agentId)) {
    const report = await verifyRun(path, agentId);
    if (report) return { agent_id: agentId, path, ...report };
  }
  return null;
}

function asText(runs: Verified[], withHeads: boolean, totals: Record<ChainReport["state"], number>): string {
  const found = runs.flatMap(({ path, problems }) =>
    problems.map(({ line, problem }) => `${path}:${line}: ${problem}`),
  );
  const heads = runs.map(({ agent_id, state, lines, head }) => [
    agent_id,
    state.replace("_", " "),
    `${lines} lines`,
    head ?? "",
  ]);
  const sum = `${totals.intact} intact, ${totals.not_chained} not chained, ${totals.broken} broken`;
  return [...found, ...(withHeads ? [columns(heads)] : []), sum].join("\n");
}

/** `cortex audit`: whether runs' files still say what was written. */
import type { Heads } from "../../../journal/chain/read-heads.ts";
import { readHeads } from "../../../journal/chain/read-heads.ts";
import { headsFile } from "../../../journal/chain/run-heads.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { isDay } from "../../../protocol/names/names.ts";
import { checkSeal, newSeal, type SealReport } from "../../audit/seal.ts";
import { auditedRuns, type VerifiedRun, verifyOne } from "../../audit/verify-runs.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { findRun } from "../../runs/find-run.ts";

const help = `
Usage: cortex audit verify ID… [--json]
       cortex audit verify --day YYYYMMDD | --all [--seal LINE [--public-key KEY]] [--json]
       cortex audit seal [--key FILE]

Each line of a run's file carries the hash of the line before it. For each ended run, .state/heads.jsonl keeps the
number of its lines and the hash of the last; it is chained in the same way. So verify finds a line that was changed,
removed, added or moved, and a run's file that was cut, emptied, renamed, or is gone. Exit 1 when anything was found.

  --day    all runs of a day (UTC, as the folders are named)
  --all    all runs

A person who can write to the journal can rewrite the heads as well. seal prints a line with the state of the heads:
keep it where that person can't write. verify --seal LINE reports whether anything from before it was changed.

  --key FILE         signs the seal with the ed25519 key in FILE, which is made where it is missing
  --seal LINE        the line that seal printed; without other choices it implies --all
  --public-key KEY   the key that must have signed it: the text after "ed25519:" in a seal that you trust

"not chained": a file from before there were hashes, or a file of one line. Runs that ended before heads were kept are
counted separately: only their chain is verified.
`;

export const command: Command = {
  help,
  run: async ([name, ...args]) => {
    if (name === "verify") return verify(args);
    if (name === "seal") return seal(args);
    throw unknownName("action", name, ["verify", "seal"], "cortex audit");
  },
};

const options = {
  json: { type: "boolean" },
  all: { type: "boolean" },
  day: { type: "string" },
  seal: { type: "string" },
  "public-key": { type: "string" },
} as const;

async function seal(args: string[]): Promise<number> {
  const { values } = parseCommandLine(args, { key: { type: "string" } } as const, "cortex audit", 0);
  process.stdout.write(`${await newSeal(readEnvironment().journalPath, values.key)}\n`);
  return exitCodes.done;
}

async function verify(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex audit");
  const { journalPath: journal } = readEnvironment();
  const heads = await readHeads(journal);
  const ids = wanted(journal, positionals, values, heads);
  const sealed = values.seal === undefined ? null : await checkSeal(journal, values.seal, values["public-key"]);
  const runs = await verifyAll(journal, ids, heads);
  const result = { runs, totals: totalsOf(runs), heads: heads.problems, seal: sealed };
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else process.stdout.write(`${asText(journal, result, positionals.length > 0)}\n`);
  const { broken, gone } = result.totals;
  const isFound = broken + gone + heads.problems.length + (sealed?.problems.length ?? 0) > 0;
  return isFound ? exitCodes.failed : exitCodes.done;
}

async function verifyAll(journal: string, ids: string[], heads: Heads): Promise<VerifiedRun[]> {
  const runs: VerifiedRun[] = [];
  for (const agentId of ids) {
    const report = await verifyOne(journal, agentId, heads);
    // A run may have ended, or been removed, since the heads were read.
    const isSure = report?.kept_head !== "no" && report?.state !== "gone";
    const again = isSure ? report : await verifyOne(journal, agentId, await readHeads(journal));
    if (again) runs.push(again);
  }
  return runs;
}

type Wanted = { all?: boolean | undefined; day?: string | undefined; seal?: string | undefined };

function wanted(journal: string, given: string[], { all, day, seal: line }: Wanted, heads: Heads): string[] {
  const ways = [given.length > 0, day !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1 && !(ways === 0 && line !== undefined))
    throw usageError("which runs? expected one of ID…, --day and --all", "see: cortex audit --help");
  if (given.length > 0) return given.map((id) => (heads.ends.has(id) ? id : findRun(journal, id)));
  if (day !== undefined && !isDay(day))
    throw usageError(`--day "${day}": expected a date as YYYYMMDD`, "for example: --day 20250109");
  return auditedRuns(journal, heads, day);
}

type Totals = Record<VerifiedRun["state"] | "before_heads", number>;

function totalsOf(runs: VerifiedRun[]): Totals {
  const count = (state: VerifiedRun["state"]) => runs.filter((run) => run.state === state).length;
  return {
    intact: count("intact"),
    not_chained: count("not_chained"),
    broken: count("broken"),
    gone: count("gone"),
    before_heads: runs.filter(({ kept_head }) => kept_head === "before").length,
  };
}

type Result = { runs: VerifiedRun[]; totals: Totals; heads: Heads["problems"]; seal: SealReport | null };

function asText(journal: string, { runs, totals, heads, seal: sealed }: Result, withHeads: boolean): string {
  const found = runs.flatMap(({ path, problems }) =>
    problems.map(({ line, problem }) => `${path}:${line}: ${problem}`),
  );
  const ofHeads = heads.map(({ line, problem }) => `${headsFile(journal)}:${line}: ${problem}`);
  const list = runs.map(({ agent_id, state, lines, head }) => [
    agent_id,
    state.replace("_", " "),
    `${lines} lines`,
    head ?? "",
  ]);
  const { intact, not_chained, broken, gone, before_heads } = totals;
  const sum = [
    `${intact} intact, ${not_chained} not chained, ${broken} broken, ${gone} gone`,
    ...(before_heads > 0 ? [`${before_heads} ended before heads were kept: only their chains were verified`] : []),
    ...(sealed ? [sealLine(sealed)] : []),
  ].join("\n");
  return [...ofHeads, ...(sealed?.problems ?? []), ...found, ...(withHeads ? [columns(list)] : []), sum].join("\n");
}

function sealLine({ sealed, line, signed_by, problems }: SealReport): string {
  const by = signed_by === null ? "not signed" : `signed by ed25519:${signed_by}`;
  return `the seal of ${sealed}, up to head ${line}, ${by}: ${problems.length === 0 ? "holds" : "doesn't hold"}`;
}

/** `cortex runs put-away`: a failed run goes from the page's first view. */
import { runFile, runState } from "../../journal/runs/run-files.ts";
import { summaryOf } from "../../journal/runs/list-runs.ts";
import { isOrphaned } from "../../journal/runs/orphaned-runs.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { PutAwayRuns } from "../../web/machine/now/put-away-runs.ts";
import { parseCommandLine, usageError } from "../command/command.ts";
import { findRun } from "./find-run.ts";

/** @param args what stands behind `put-away` */
export async function putAwayRun(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } } as const, "cortex runs", 1);
  const { journalPath: journal } = readEnvironment();
  const agentId = findRun(journal, positionals[0]);
  if (!(await hasFailed(journal, agentId)))
    throw usageError(`run ${agentId} hasn't failed`, `see: cortex runs show ${agentId}`);
  await new PutAwayRuns(journal, (id) => runState(journal, id) !== "absent").add(agentId);
  process.stdout.write(values.json ? `${JSON.stringify({ ok: true, agent_id: agentId })}\n` : `put away: ${agentId}\n`);
  return exitCodes.done;
}

async function hasFailed(journal: string, agentId: string): Promise<boolean> {
  const path = runFile(journal, agentId);
  if (path === null) return false;
  if (isOrphaned(journal, agentId)) return true;
  const run = await summaryOf({ path, agentId, isActive: runState(journal, agentId) === "active" });
  return run?.state === "failed" && run.reason !== "cancelled";
}

/** Verifies runs' files: each by its own chain, and all by the heads that were kept of those that ended. */
import { existsSync } from "node:fs";
import type { ChainReport } from "../../journal/chain/hash-chain.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import type { Heads } from "../../journal/chain/read-heads.ts";
import { endedFile, runDay, runFile } from "../../journal/runs/run-files.ts";
import { runFolder } from "../../journal/run-folders/run-folder.ts";
import { verifyRun } from "../../journal/ended-runs/verify-run.ts";

export type VerifiedRun = Omit<ChainReport, "state"> & {
  agent_id: string;
  /** Where the file is, or was. */
  path: string;
  /** `gone`: a run that had ended, and whose file isn't there any more. */
  state: ChainReport["state"] | "gone";
  /** Whether its end was kept. `before`: it ended when heads weren't kept yet. */
  kept_head: "yes" | "before" | "no" | "in_progress";
};

/** The ids of all runs, or of those of a day: that have a file, or had one when they ended. */
export function auditedRuns(journal: string, { ends }: Heads, day?: string): string[] {
  const ids = new Set([...[...runFiles(journal)].map(({ agentId }) => agentId), ...ends.keys()]);
  return [...ids]
    .filter((agentId) => day === undefined || runDay(agentId) === day)
    .toSorted()
    .toReversed();
}

/** Null when there is nothing to verify: the run waits, or its file was removed as the settings say. */
export async function verifyOne(journal: string, agentId: string, heads: Heads): Promise<VerifiedRun | null> {
  const kept = heads.ends.get(agentId) ?? [];
  for (let path = runFile(journal, agentId); path !== null; path = runFile(journal, agentId)) {
    const report = await verifyRun(path, agentId, kept);
    if (report) return withHead({ journal, agentId, path, heads }, report);
  }
  const last = kept.at(-1);
  if (!last) return null;
  const problems = [{ line: 1, problem: `is gone: the file had ${last.lines} lines when the run had ended` }];
  const nothing = { lines: 0, chained_from: null, head: null };
  return {
    agent_id: agentId,
    path: endedFile(journal, agentId),
    state: "gone",
    kept_head: "yes",
    ...nothing,
    problems,
  };
}

type Found = { journal: string; agentId: string; path: string; heads: Heads };

function withHead(found: Found, report: ChainReport): VerifiedRun {
  const kept_head = headOf(found);
  const problem = problemOf(found, kept_head);
  const run = { ...report, agent_id: found.agentId, path: found.path, kept_head };
  if (problem === null) return run;
  return { ...run, state: "broken", problems: [{ line: report.lines, problem }, ...report.problems] };
}

function headOf({ agentId, path, heads: { ends, since } }: Found): VerifiedRun["kept_head"] {
  if (ends.has(agentId)) return "yes";
  if (path.endsWith("_active.jsonl")) return "in_progress";
  return since === null || Number(agentId) < since ? "before" : "no";
}

function problemOf({ journal, agentId, path }: Found, head: VerifiedRun["kept_head"]): string | null {
  if (head === "no") return "ends a run whose end was never recorded: this cortex didn't write the file";
  // While a run is being closed its end is kept already; then it still has its folder.
  const isRenamed = head === "yes" && path.endsWith("_active.jsonl") && !existsSync(runFolder(journal, agentId));
  return isRenamed ? "ends a run, but its file has the name of a run in progress" : null;
}

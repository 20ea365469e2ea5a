/** Which run is meant by an id, or by the begin or the end of one. */
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { runFile, wasPruned } from "../../journal/runs/run-files.ts";
import { usageError } from "../command/command.ts";

/** @throws CommandError when no run, or more than one, is meant */
export function findRun(journal: string, given: string | undefined): string {
  if (given === undefined) throw usageError("which run? no id was given", "see: cortex runs list");
  if (!/^\d{1,13}$/.test(given))
    throw usageError(`"${given}" is not the id of a run: expected digits`, "see: cortex runs list");
  if (given.length === 13 && runFile(journal, given) !== null) return given;
  const waiting = readLiveStatus(journal)?.waiting.map(({ agent_id }) => agent_id) ?? [];
  const ids = new Set([...waiting, ...[...runFiles(journal)].map(({ agentId }) => agentId)]);
  const found = [...ids].filter((id) => id.startsWith(given) || id.endsWith(given));
  const [only, ...others] = found;
  if (only === undefined && given.length === 13 && wasPruned(journal, given))
    throw usageError(`run ${given} was deleted by the settings' retention`, "see: cortex runs prune --help");
  if (only === undefined) throw usageError(`no run ${given}`, "see: cortex runs list");
  if (others.length > 0)
    throw usageError(`${given} may be ${found.length} runs: ${found.slice(0, 5).join(", ")}`, "give more digits");
  return only;
}

/** Whether somebody is at work on a run: its file alone doesn't say. */
import { readLiveStatus, type LiveStatus } from "../../../journal/programs/live-status.ts";
import { attemptFolder, attemptsOf } from "../../../journal/run-folders/run-folder.ts";
import { emptyRow, type RunRow, shortText } from "../../../journal/run-index/run-row.ts";
import { isOrphaned } from "../../../journal/runs/orphaned-runs.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { identifyProcess, isAlive } from "../../../proc/processes/identity.ts";
import { isAgentAlive } from "../../../proc/runs/run.ts";

/** Reads the status that cortex last told; null: none is alive. */
export function livingStatus(journal: string): LiveStatus | null {
  const live = readLiveStatus(journal);
  const holder = live && identifyProcess(live.pid);
  return holder && isAlive(holder) ? live : null;
}

/**
 * A row as it is. One that was stopped with cortex, or lost its process while that is away, waits to be taken up: it doesn't
 * run. One that no cortex has doesn't either.
 */
export function rowAsItIs(journal: string, row: RunRow, live = livingStatus(journal)): RunRow {
  if (row.ended_at !== null || row.damaged !== null || runState(journal, row.id) !== "active") return row;
  if (isOrphaned(journal, row.id)) return { ...row, state: "orphaned", doing: null };
  const isAtWork = live !== null || hasProcess(journal, row.id);
  return isAtWork ? row : { ...row, state: "queued", doing: null };
}

/** Whether a process of the run lives. */
export const hasProcess = (journal: string, agentId: string): boolean =>
  attemptsOf(journal, agentId).some((attempt) => isAgentAlive(attemptFolder(journal, agentId, attempt)));

/**
 * Lists the runs that wait for a place: they have no file yet, and the cortex that holds them says which they are.
 * Newest first.
 */
export function queuedRows(journal: string, live = livingStatus(journal)): RunRow[] {
  const waiting = (live?.waiting ?? []).filter(({ agent_id }) => runState(journal, agent_id) === "absent");
  return waiting
    .map(({ agent_id, persona, backend, prompt, continue_from = null }) => ({
      ...emptyRow(agent_id),
      persona,
      backend,
      prompt: shortText(prompt),
      continue_from,
    }))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

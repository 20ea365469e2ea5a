/** Runs as they are at this moment: a file alone doesn't say whether anybody is at work on it. */
import { type RunSummary, summarize } from "../../../journal/runs/list-runs.ts";
import { isOrphaned } from "../../../journal/runs/orphaned-runs.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { hasProcess, livingStatus } from "../../../web/machine/runs/liveness.ts";

/**
 * The summary as the run is. One that was stopped with cortex, or lost its process while that is away, waits to be taken
 * up: it doesn't run. One that no cortex has doesn't either.
 */
export function asItIs(journal: string, run: RunSummary): RunSummary {
  if (run.state === "running" && isOrphaned(journal, run.agent_id)) return { ...run, state: "orphaned" };
  if (run.state !== "running" || livingStatus(journal) || hasProcess(journal, run.agent_id)) return run;
  return { ...run, state: "queued" };
}

/** Lists the queued runs, which have no file yet; the cortex that holds them says which they are. */
export function queuedRuns(journal: string): RunSummary[] {
  return (livingStatus(journal)?.waiting ?? [])
    .filter(({ agent_id }) => runState(journal, agent_id) === "absent")
    .map(({ agent_id, persona, backend, prompt }) => ({
      ...summarize(agent_id, false, []),
      state: "queued",
      persona,
      backend,
      prompt,
    }));
}

/** `cortex runs close`: ends a run that nobody owns. */
import { endRun } from "../../journal/ended-runs/end-run.ts";
import { takeOrphanLock } from "../../journal/ended-runs/ended-lock.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { isMirrored } from "../../journal/runs/mirrored-run.ts";
import { isOrphaned } from "../../journal/runs/orphaned-runs.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { isAlive, identifyProcess } from "../../proc/processes/identity.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError, parseCommandLine, usageError } from "../command/command.ts";
import { findRun } from "./find-run.ts";

/** @param args what stands behind `close` */
export async function closeRun(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } } as const, "cortex runs", 1);
  const { journalPath: journal } = readEnvironment();
  const agentId = findRun(journal, positionals[0]);
  using lock = takeOrphanLock(journal);
  if (!lock) throw new CommandError("busy", "another cortex runs close is at work", "try again", exitCodes.refused);
  refuseOwned(journal, agentId);
  const error = "no cortex had this run any more; it was closed by cortex runs close";
  await endRun(journal, agentId, { event: "error", error, reason: "interrupted" });
  process.stdout.write(values.json ? `${JSON.stringify({ ok: true, agent_id: agentId })}\n` : `closed: ${agentId}\n`);
  return exitCodes.done;
}

/** @throws CommandError when the run has ended, or somebody writes its file or will */
function refuseOwned(journal: string, agentId: string): void {
  const state = runState(journal, agentId);
  if (state === "ended") throw usageError(`run ${agentId} has ended`, `see: cortex runs show ${agentId}`);
  const live = readLiveStatus(journal);
  const holder = live && identifyProcess(live.pid);
  const isAtWork = holder && isAlive(holder) && live.running.some(({ agent_id }) => agent_id === agentId);
  if (!isAtWork && isOrphaned(journal, agentId)) return;
  const isCopy = isMirrored(journal, agentId);
  throw new CommandError(
    "refused",
    isCopy
      ? `run ${agentId} belongs to another host: its copy here ends when the run does`
      : `run ${agentId} isn't orphaned: cortex has it, or resumes it at its next start`,
    `stop it: cortex runs cancel ${agentId}`,
    exitCodes.refused,
  );
}

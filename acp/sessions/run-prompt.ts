/** A prompt that a persona answers: a run, which goes on from the session's last one. */
import type { Bus } from "../../bus/connection/connect.ts";
import { nextId, RejectedError } from "../../bus/runs/client.ts";
import { publishCancel } from "../../bus/runs/control.ts";
import { followRun } from "../../bus/runs/follow-run.ts";
import { followedFiles } from "../../journal/runs/followed-files.ts";
import { findEvent } from "../../journal/runs/read-run.ts";
import { runFile } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { effortFields } from "../choices/efforts.ts";
import { modelFields } from "../choices/models.ts";
import type { PromptContent } from "../content/prompt-content.ts";
import type { SessionContext } from "./session-context.ts";
import { tellingAgain } from "./tell-again.ts";

/**
 * Resolves with the run's terminal event.
 * @param cancel ends the run
 * @throws RejectedError, NothingRunsError
 */
export async function runPrompt(
  session: SessionContext,
  { text, attachments }: PromptContent,
  cancel: AbortSignal,
): Promise<AgentEvent> {
  const { deps, record } = session;
  const bus = await deps.client();
  // Of one that retention has deleted there is nothing to go on from.
  const continued = record.runs.findLast((run) => runFile(deps.journal, run) !== null);
  const request = {
    prompt: text,
    persona: record.mode,
    folder: record.cwd,
    watched: true,
    stream: true,
    ...(attachments.length > 0 && { attachments }),
    ...(continued !== undefined && { continue_from: continued }),
    ...modelFields(record.model),
    ...effortFields(record.effort),
  };
  for (;;) {
    const ts = nextId();
    // Kept before it is asked for: whoever is killed in between finds the run again.
    await session.keep(({ runs }) => ({ runs: [...runs, String(ts)] }));
    try {
      const end = await followToEnd(session, bus, { ...request, ts }, cancel);
      await tellAfter(session, String(ts));
      return end;
    } catch (error) {
      // What was refused is no run; whatever else fails here, the run may go on.
      if (!(error instanceof RejectedError)) throw error;
      await session.keep(({ runs }) => ({ runs: runs.filter((run) => run !== String(ts)) }));
      if (error.reason !== "duplicate_id") throw error;
    }
  }
}

async function followToEnd(
  session: SessionContext,
  bus: Bus,
  request: Request & { ts: number },
  cancel: AbortSignal,
): Promise<AgentEvent> {
  const { journal, log } = session.deps;
  using _stopping = cancelling(bus, String(request.ts), cancel);
  return await followRun(
    {
      bus,
      files: followedFiles(journal),
      request,
      isUnwanted: () => cancel.aborted,
      onProblem: (error) => log.warn({ agent_id: String(request.ts), err: error }, "the run is asked for again"),
      onPiece: (event) => void session.tell(event),
    },
    (event) => session.tell(event),
  );
}

/** Tells what came of a run beside its answer: a worktree whose files somebody has to take over, and whom it has handed on to. */
async function tellAfter({ deps, out }: SessionContext, run: string): Promise<void> {
  const changes = await findEvent(deps.journal, run, ["changes"]);
  if (changes) {
    const { files, more = 0 } = changes;
    const count = (Array.isArray(files) ? files.length : 0) + Number(more);
    const what = count === 1 ? "1 file is" : `${count} files are`;
    await out.note(`${what} changed in a worktree: cortex changes show ${run}, then apply or drop.`);
  }
  const handoff = await findEvent(deps.journal, run, ["handoff"]);
  const to = handoff && textField(handoff, "to");
  if (to) await out.note(`It was handed on: cortex runs tail ${to}`);
}

/** Tells a run to end once that is wanted, until nobody follows it any more. */
export const cancelling = (bus: Bus, run: string, cancel: AbortSignal): Disposable =>
  tellingAgain(cancel, () => void (bus.isConnected && publishCancel(bus, run)));

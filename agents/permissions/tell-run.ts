/** Tells cortex of a question about a call, and of its answer: it writes them into the run's file, and its clocks stand still in between. */
import { tellPermission } from "../../bus/runs/permission-notices.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { NoticeAnswer } from "../../protocol/runs/request/permission-notice.ts";
import type { AgentDeps } from "../record/agent-deps.ts";

type TellDeps = Pick<AgentDeps, "journal" | "bus">;

/**
 * Tells of a question.
 * @param isKnown it was told before: nothing is to be done where it wasn't
 * @returns null: nobody has answered, and its run may go on, so it is to be told again
 */
export async function tellQuestion(
  { journal, bus }: TellDeps,
  question: KeptQuestion,
  isKnown = false,
): Promise<NoticeAnswer | null> {
  const { id, run, tool, args, why, expires, loop, action, call_id } = question;
  const answer = await tellPermission(bus, run, {
    event: "permission",
    id,
    tool,
    args,
    why,
    expires,
    ...(loop && { loop }),
    ...(action && { action }),
    ...(call_id !== undefined && { call_id }),
    ...(isKnown && { known_only: true }),
  });
  return answer ?? (runState(journal, run) === "ended" ? { ok: false, error: "the run is over" } : null);
}

/** Tells of a question and, where there is one, of its answer. Null: it is to be told again. */
export async function tellRun(deps: TellDeps, question: KeptQuestion): Promise<NoticeAnswer | null> {
  const asked = await tellQuestion(deps, question);
  const { id, run, decision, by = "", always } = question;
  if (!asked?.ok || decision === undefined) return asked;
  const notice = { event: "permission_decided" as const, id, decision, by, ...(always && { always }) };
  const answer = await tellPermission(deps.bus, run, notice);
  return answer ?? (runState(deps.journal, run) === "ended" ? { ok: false, error: "the run is over" } : null);
}

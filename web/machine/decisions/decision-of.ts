/** A question as a decision that waits for the owner, or was made. Pure. */
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";
import type { ApprovalOfQuestion } from "../../../workspace/approvals/approvals-of-questions.ts";
import type { Decision } from "../records/decision-records.ts";

/** The asker, as far as it is known beside the question. */
export type Asking = {
  persona: string | null;
  agent: string | null;
  agentName: string | null;
  approval: ApprovalOfQuestion | undefined;
};

/** Characters of a question's arguments; where they have more, each of their texts is cut to so many. */
const [mostArgs, longestText] = [32_768, 1000];

/** The names that stand for the decider where nobody has decided. */
const nobody: readonly (string | undefined)[] = ["timeout", "the run's end"];

export function decisionOf(question: KeptQuestion, { persona, agent, agentName, approval }: Asking): Decision {
  const { id, run, tool, args, why, rules, loop, ts, expires, write_path: path } = question;
  return {
    id,
    kind: path !== undefined ? "write" : loop === true ? "loop" : "call",
    run,
    persona,
    agent,
    agent_name: agentName,
    workspace: approval ? placeOf(approval) : null,
    tool: path === undefined ? tool : null,
    args: shownArgs(args),
    path: path ?? null,
    why,
    rules,
    asked_at: timeOf(ts),
    expires_at: timeOf(expires),
    ...outcomeOf(question, approval),
  };
}

type DecisionOutcome = Pick<Decision, "status" | "decided_by" | "reason" | "decided_at">;

/** A member's answer counts as soon as it is stored, though the run hasn't heard it yet. */
function outcomeOf({ decision, by, reason, decided }: KeptQuestion, approval: Asking["approval"]): DecisionOutcome {
  if (decision !== undefined) {
    const isNobodys = nobody.includes(by);
    return {
      status: isNobodys ? "expired" : decision === "allow" ? "allowed" : "denied",
      decided_by: isNobodys ? null : (by ?? null),
      reason: reason ?? null,
      decided_at: decided === undefined ? null : timeOf(decided),
    };
  }
  const status = approval?.status ?? "open";
  const member = approval?.decidedBy ?? null;
  return { status, decided_by: member === null ? null : `web:${member}`, reason: null, decided_at: null };
}

const placeOf = ({ workspace_id, thread_id, fork_id, task_id, agent_id }: ApprovalOfQuestion) => ({
  workspace_id,
  thread_id,
  fork_id,
  task_id,
  agent_id,
});

function shownArgs(args: unknown): unknown {
  const length = (value: unknown) => (JSON.stringify(value) ?? "").length;
  if (length(args) <= mostArgs) return args ?? null;
  const cut = cutStrings(args, longestText);
  return length(cut) <= mostArgs ? cut : `${JSON.stringify(cut).slice(0, mostArgs)} … (cut)`;
}

const timeOf = (ms: number) => new Date(ms).toISOString();

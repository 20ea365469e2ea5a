/** Approvals between their rows and their records. */
import type { ApprovalTable } from "../database/tables/tables.ts";
import type { Approval } from "../records/approval.ts";
import { timeOf, timeOrNull } from "../records/fields.ts";

export function approvalFrom(row: ApprovalTable): Approval {
  const { id, workspace_id, thread_id, fork_id, task_id, agent_id, tool, args_json, why, action } = row;
  const { requires, user_id, status, decided_by, reason } = row;
  return {
    id,
    workspace_id,
    thread_id,
    fork_id,
    task_id,
    agent_id,
    tool,
    args: JSON.parse(args_json) as unknown,
    why,
    action,
    requires,
    user_id,
    status,
    decided_by,
    reason,
    escalates_at: timeOrNull(row.escalates_at),
    expires_at: timeOf(row.expires_at),
    created_at: timeOf(row.created_at),
    decided_at: timeOrNull(row.decided_at),
  };
}

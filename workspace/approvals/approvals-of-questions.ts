/** Approvals of the workspaces by the questions of runs that they stand for. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { ApprovalTable } from "../database/tables/tables.ts";

/** @field decidedBy their name, where a member has decided */
export type ApprovalOfQuestion = Pick<
  ApprovalTable,
  "workspace_id" | "thread_id" | "fork_id" | "task_id" | "agent_id" | "status"
> & { decidedBy: string | null };

/** How many are looked up at once. */
const atOnce = 200;

/** Lists the approvals of the questions that a workspace's agent asks. */
export async function approvalsOfQuestions(
  { database }: WorkspaceStore,
  questions: readonly string[],
): Promise<ReadonlyMap<string, ApprovalOfQuestion>> {
  const found = new Map<string, ApprovalOfQuestion>();
  for (let from = 0; from < questions.length; from += atOnce) {
    const rows = await database
      .selectFrom("approvals")
      .leftJoin("users", "users.id", "approvals.decided_by")
      .select(["approvals.question_id", "approvals.workspace_id", "approvals.thread_id", "approvals.fork_id"])
      .select(["approvals.task_id", "approvals.agent_id", "approvals.status", "users.name"])
      .where("approvals.question_id", "in", questions.slice(from, from + atOnce))
      .execute();
    for (const { question_id, name, ...approval } of rows) found.set(question_id, { ...approval, decidedBy: name });
  }
  return found;
}

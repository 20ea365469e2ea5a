/** Questions of runs that become approvals of the workspace whose task asks, and what becomes of them. */
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { ApprovalTable, TaskTable } from "../database/tables/tables.ts";
import { isMember } from "../people/access.ts";
import type { Approval } from "../records/approval.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";
import { approvalFrom } from "./approval-rows.ts";
import { anAdmin, decidersOf } from "./approval-rules.ts";
import { setApproval } from "./approvals.ts";

/** @field expires in ms */
export type AskedQuestion = {
  id: string;
  tool: string;
  args: unknown;
  why: string;
  action: Approval["action"];
  expires: number;
};

/** A task's run asks. However often it is told, it is one approval. */
export async function approvalAsked(
  store: WorkspaceStore,
  task: Pick<TaskTable, "id" | "workspace_id" | "thread_id" | "fork_id" | "agent_id">,
  question: AskedQuestion,
): Promise<void> {
  await store.changes.make(task.workspace_id, async ({ tables, tell, now }) => {
    const known = await tables.selectFrom("approvals").select("id").where("question_id", "=", question.id).execute();
    if (known.length > 0) return;
    const { settings_json } = await tables
      .selectFrom("workspaces")
      .select("settings_json")
      .where("id", "=", task.workspace_id)
      .executeTakeFirstOrThrow();
    const { approval_rules } = WorkspaceSettings.parse(JSON.parse(settings_json));
    const byRules = decidersOf(approval_rules, question.tool, question.action);
    const hasLeft = byRules.user_id !== null && !(await isMember(tables, task.workspace_id, byRules.user_id));
    const { requires, user_id, escalatesAfterMs } = hasLeft ? anAdmin : byRules;
    const row: ApprovalTable = {
      id: newId(),
      workspace_id: task.workspace_id,
      thread_id: task.thread_id,
      fork_id: task.fork_id,
      task_id: task.id,
      agent_id: task.agent_id,
      question_id: question.id,
      tool: question.tool,
      args_json: JSON.stringify(question.args ?? null),
      why: question.why,
      action: question.action,
      requires,
      user_id,
      status: "open",
      decided_by: null,
      reason: null,
      escalates_at: escalatesAfterMs === null ? null : now + escalatesAfterMs,
      expires_at: question.expires,
      created_at: now,
      decided_at: null,
      is_told: 0,
    };
    await tables.insertInto("approvals").values(row).execute();
    await tell("approval.requested", { approval: approvalFrom(row) });
  });
}

/** The names that stand for the decider where nobody has decided. */
const nobody = ["timeout", "the run's end"];

/** @field by who has, as the run's file says */
export type AnsweredQuestion = { id: string; decision: "allow" | "deny"; by: string };

/** A run has heard a decision: that counts, wherever it was made. */
export async function approvalAnswered(
  store: WorkspaceStore,
  workspaceId: string,
  { id, decision, by }: AnsweredQuestion,
): Promise<void> {
  await store.changes.make(workspaceId, async (change) => {
    const row = await change.tables
      .selectFrom("approvals")
      .selectAll()
      .where("question_id", "=", id)
      .where("is_told", "=", 0)
      .executeTakeFirst();
    if (!row) return;
    const decided = decision === "allow" ? "allowed" : nobody.includes(by) ? "expired" : "denied";
    if (row.status === decided)
      return void (await change.tables.updateTable("approvals").set({ is_told: 1 }).where("id", "=", row.id).execute());
    const set = { status: decided, decided_by: null, reason: null, decided_at: change.now, is_told: 1 } as const;
    await setApproval(change, row, set);
  });
}

/** Asks an admin about what nobody else has decided in time. */
export async function escalateApprovals(store: WorkspaceStore, now: number): Promise<void> {
  const due = await store.database
    .selectFrom("approvals")
    .select(["id", "workspace_id"])
    .where("is_told", "=", 0)
    .where("status", "=", "open")
    .where("escalates_at", "<=", now)
    .execute();
  for (const { id, workspace_id } of due)
    await store.changes.make(workspace_id, async ({ tables, tell }) => {
      const row = await tables
        .updateTable("approvals")
        .set({ requires: "admin", user_id: null, escalates_at: null })
        .where("id", "=", id)
        .where("status", "=", "open")
        .returningAll()
        .executeTakeFirst();
      if (row) await tell("approval.requested", { approval: approvalFrom(row) });
    });
}

/** Closes what runs of tasks that have ended had asked: nobody waits for it any more. */
export async function closeApprovals(store: WorkspaceStore): Promise<void> {
  const over = await store.database
    .selectFrom("approvals")
    .innerJoin("tasks", "tasks.id", "approvals.task_id")
    .select(["approvals.id", "approvals.workspace_id"])
    .where("approvals.is_told", "=", 0)
    .where("tasks.is_open", "=", 0)
    .execute();
  for (const { id, workspace_id } of over)
    await store.changes.make(workspace_id, async (change) => {
      const rows = change.tables.selectFrom("approvals").selectAll().where("id", "=", id).where("is_told", "=", 0);
      const row = await rows.executeTakeFirst();
      if (row?.status === "open")
        await setApproval(change, row, { status: "expired", decided_at: change.now, is_told: 1 });
      else if (row) await change.tables.updateTable("approvals").set({ is_told: 1 }).where("id", "=", id).execute();
    });
}

/** The decisions that their runs haven't heard yet, oldest first. */
export async function untoldDecisions({ database }: WorkspaceStore): Promise<UntoldDecision[]> {
  const rows = await database
    .selectFrom("approvals")
    .leftJoin("users", "users.id", "approvals.decided_by")
    .select(["approvals.question_id", "approvals.status", "approvals.reason", "users.name"])
    .where("approvals.is_told", "=", 0)
    .where("approvals.status", "in", ["allowed", "denied"])
    .orderBy("approvals.id")
    .execute();
  return rows.map(({ question_id, status, reason, name }) => ({
    question: question_id,
    decision: status === "allowed" ? "allow" : "deny",
    name: name ?? "somebody who left",
    reason,
  }));
}

export type UntoldDecision = { question: string; decision: "allow" | "deny"; name: string; reason: string | null };

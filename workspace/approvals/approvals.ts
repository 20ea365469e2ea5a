/** Approvals as members see them: which there are, and the decision on one, which is made once. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { ApprovalTable } from "../database/tables/tables.ts";
import { type Actor, isAdmin } from "../people/access.ts";
import type { Approval, ApprovalDecision } from "../records/approval.ts";
import type { Page, PageOf } from "../records/page.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { approvalFrom } from "./approval-rows.ts";

/** Newest first. */
export async function listApprovals(
  { database }: WorkspaceStore,
  { workspaceId }: Actor,
  { limit, cursor }: Page,
): Promise<PageOf<Approval>> {
  let query = database
    .selectFrom("approvals")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (cursor !== null) query = query.where("id", "<", cursor);
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  return { items: items.map(approvalFrom), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/**
 * Decides on a call, once: whoever comes second is told so. The run hears of it from `deliverDecisions`.
 * @throws WorkspaceError `forbidden` for who isn't asked, `conflict` when it is decided or too late
 */
export async function decideApproval(
  store: WorkspaceStore,
  id: string,
  { decision, reason }: ApprovalDecision,
  actor: Actor,
): Promise<Approval> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireApproval(change, id, actor);
    requireDecider(row, actor);
    if (row.status !== "open") throw new WorkspaceError("conflict", `this was decided before: ${row.status}`);
    if (row.expires_at <= change.now) throw new WorkspaceError("conflict", "nobody answered in time: it is denied");
    return setApproval(change, row, {
      status: decision === "allow" ? "allowed" : "denied",
      decided_by: actor.userId,
      reason: reason ?? null,
      decided_at: change.now,
    });
  });
}

/** Changes one that is decided by this, and tells of it. */
export async function setApproval(
  { tables, tell }: WorkspaceChange,
  row: ApprovalTable,
  set: Partial<Pick<ApprovalTable, "status" | "decided_by" | "reason" | "decided_at" | "is_told">>,
): Promise<Approval> {
  await tables.updateTable("approvals").set(set).where("id", "=", row.id).execute();
  const approval = approvalFrom({ ...row, ...set });
  await tell("approval.decided", { approval });
  return approval;
}

async function requireApproval({ tables }: WorkspaceChange, id: string, actor: Actor): Promise<ApprovalTable> {
  const row = await tables
    .selectFrom("approvals")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", actor.workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such approval in this workspace");
  return row;
}

function requireDecider({ requires, user_id }: ApprovalTable, actor: Actor): void {
  if (requires === "admin" && !isAdmin(actor))
    throw new WorkspaceError("forbidden", "only an admin of the workspace may decide on this", "ask one of them");
  if (requires === "specific_user" && user_id !== actor.userId)
    throw new WorkspaceError("forbidden", "another member is asked about this", "after its time an admin may decide");
}

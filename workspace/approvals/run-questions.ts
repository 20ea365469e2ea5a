/** The questions of a task's run: read in order, and again after a restart. */
import { z } from "zod";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { AskedAction } from "../../protocol/runs/request/trust.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import { approvalAnswered, approvalAsked } from "./asked-approvals.ts";

/** A question of a run with a trust says what it asks for; of any other it is to be approved. */
const Asked = z.object({
  id: z.string(),
  tool: z.string(),
  args: z.unknown(),
  why: z.string(),
  action: AskedAction.default("approve"),
  expires: z.number(),
});
const Answered = z.object({ id: z.string(), decision: z.enum(["allow", "deny"]), by: z.string() });

/** Makes an approval of a question, and notes what was decided on it. Other events say nothing of either. */
export async function noteQuestion(store: WorkspaceStore, task: TaskTable, event: AgentEvent): Promise<void> {
  if (event.event === "permission") await approvalAsked(store, task, Asked.parse(event));
  if (event.event === "permission_decided") await approvalAnswered(store, task.workspace_id, Answered.parse(event));
}

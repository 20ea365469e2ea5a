/** `cortex thread tasks|cancel|retry`: what agents answer in a thread, an answer that is stopped, and one that is asked for again. */
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { shorten } from "../command/layout/text.ts";
import { usageError } from "../command/command.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { shortId } from "./lookup/find-record.ts";
import { findTask, findThread, tasksOf, type TaskRow } from "./lookup/find-thread.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type WorkspaceOf = () => Promise<string>;

export async function listTasks(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  given: string | undefined,
  { count, json }: { count: number; json: boolean },
): Promise<number> {
  if (given === undefined) throw usageError("THREAD is missing", "ids: cortex thread list");
  const thread = await findThread(link, workspaceId, given);
  const tasks = await tasksOf(link, thread.id, count);
  if (json) return printResult(json, { tasks }, () => "");
  if (tasks.length === 0) return printResult(json, {}, () => `no agent was asked in "${thread.title}" yet`);
  const agents = await agentsOf(link, thread.workspace_id);
  const rows = tasks.map(({ id, agent_id, status, fork_id, created_at, run_id, error }) => [
    shortId(id),
    nameIn(agents, agent_id),
    status,
    fork_id === null ? "thread" : `fork ${shortId(fork_id)}`,
    created_at.slice(0, 16).replace("T", " "),
    run_id ?? "-",
    shorten(error ?? "", 200),
  ]);
  return printResult(json, {}, () => columns([["ID", "AGENT", "STATE", "IN", "ASKED", "RUN", "ERROR"], ...rows]));
}

/** Stops the answer of a task that is queued or running. */
export async function cancelAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  given: string | undefined,
  json: boolean,
): Promise<number> {
  const task = await requireTask(link, workspaceId, given);
  const params = { path: { id: task.id } };
  const cancelled = await answered(link.client.POST("/api/v1/tasks/{id}/cancel", { params }));
  const name = json ? "" : await agentName(link, task);
  return printResult(json, cancelled, () => `the answer of ${name} is ${cancelled.status}`);
}

/** Asks the agent of a task once more, with a task of its own. */
export async function retryAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  given: string | undefined,
  json: boolean,
): Promise<number> {
  const task = await requireTask(link, workspaceId, given);
  const params = { path: { id: task.id } };
  const again = await answered(link.client.POST("/api/v1/tasks/{id}/retry", { params }));
  const name = json ? "" : await agentName(link, again);
  return printResult(json, again, () => `${name} is asked again: task ${shortId(again.id)}`);
}

async function requireTask(link: WorkspaceLink, workspaceId: WorkspaceOf, given: string | undefined): Promise<TaskRow> {
  if (given === undefined) throw usageError("TASK is missing", "ids: cortex thread tasks THREAD");
  return findTask(link, workspaceId, given);
}

async function agentName(link: WorkspaceLink, { thread_id, agent_id }: TaskRow): Promise<string> {
  const params = { path: { id: thread_id } };
  const { workspace_id } = await answered(link.client.GET("/api/v1/threads/{id}", { params }));
  return nameIn(await agentsOf(link, workspace_id), agent_id);
}

const nameIn = (agents: readonly ApiRecord<"Agent">[], id: string) =>
  agents.find((agent) => agent.id === id)?.display_name ?? "an agent";

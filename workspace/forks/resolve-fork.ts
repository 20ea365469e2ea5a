/** A resolution is drafted: by a task of the resolver, whose text people edit before they post it. */
import { resolverOf } from "../agents/resolver.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import { storableText } from "../database/text/storable-text.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { ForkTable, TaskTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import type { Task } from "../records/task.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { addTask } from "../tasks/task-rows.ts";
import { setFork } from "../threads/forks.ts";
import { addMessage } from "../threads/messages.ts";
import { requireFork } from "../threads/places.ts";
import { requireOpen } from "./fork-status.ts";
import { resolutionPrompt } from "./resolution-prompt.ts";

/**
 * Has the resolution drafted.
 * @param by the slug of the agent that drafts; absent: the workspace's setting names it
 * @throws WorkspaceError `conflict` when somebody else has asked for it, the fork has ended, or there is no such agent
 */
export async function requestResolution(
  store: WorkspaceStore,
  forkId: string,
  actor: Actor,
  by?: string,
): Promise<Task> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const fork = await requireFork(change.tables, forkId, actor);
    requireOpen(fork);
    const resolver = await requireResolver(change, actor.workspaceId, by);
    const set = { status: "resolving", draft: null } as const;
    await setFork(change, fork, set, "fork.status_changed", (changed) => ({ fork: changed }));
    return addTask(change, {
      workspace_id: fork.workspace_id,
      thread_id: fork.thread_id,
      fork_id: fork.id,
      trigger_message_id: fork.message_id,
      agent_id: resolver.id,
      agent_version: resolver.version,
      task_type: "fork_resolution",
      prompt: resolutionPrompt(fork),
    });
  });
}

/** A task of a fork's resolution has its text. Of one that isn't waited for any more nothing comes. */
export async function forkDrafted(change: WorkspaceChange, task: TaskTable, text: string): Promise<void> {
  const fork = await awaitedFork(change, task);
  if (fork)
    await setFork(change, fork, { draft: storableText(text).trim() }, "fork.draft", (changed) => ({ fork: changed }));
}

/**
 * A task of a fork's resolution has failed, or was cancelled by somebody: the fork is open again, and says so.
 * @param why a sentence for people
 */
export async function forkDraftFailed(change: WorkspaceChange, task: TaskTable, why: string): Promise<void> {
  const fork = await awaitedFork(change, task);
  if (!fork) return;
  await addMessage(change, fork.workspace_id, {
    threadId: fork.thread_id,
    forkId: fork.id,
    parent_id: null,
    author_type: "system",
    author_id: null,
    author_name: "System",
    text: `No resolution was drafted. ${why} The fork is still open: resolve it again, or write the resolution yourself.`,
    parts: [],
    metadata: { kind: "error", taskId: task.id, agentConfigId: task.agent_id },
  });
  await setFork(change, fork, { status: "open" }, "fork.status_changed", (changed) => ({ fork: changed }));
}

/** The fork that waits for the draft of this task; null: it was posted, reopened or abandoned since, or another task drafts. */
async function awaitedFork(change: WorkspaceChange, task: TaskTable): Promise<ForkTable | null> {
  if (task.fork_id === null) return null;
  const fork = await change.tables.selectFrom("forks").selectAll().where("id", "=", task.fork_id).executeTakeFirst();
  if (fork?.status !== "resolving" || fork.draft !== null) return null;
  const newest = await change.tables
    .selectFrom("tasks")
    .select("id")
    .where("fork_id", "=", fork.id)
    .where("task_type", "=", "fork_resolution")
    .orderBy("id", "desc")
    .executeTakeFirst();
  return newest?.id === task.id ? fork : null;
}

async function requireResolver(
  { tables }: WorkspaceChange,
  workspaceId: string,
  by: string | undefined,
): Promise<{ id: string; version: number }> {
  const { slug, agent } = await resolverOf(tables, workspaceId, by);
  if (agent) return agent;
  throw new WorkspaceError(
    "conflict",
    `there is no active agent "${slug}" that could draft the resolution`,
    "name another one, write it yourself, or have an admin change the workspace's setting",
  );
}

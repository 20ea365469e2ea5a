/** A fork ends with a resolution in its thread, or without; it can be reopened. What still drafts for it is cancelled. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Actor } from "../people/access.ts";
import type { Fork, Message } from "../records/thread.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { setFork } from "../threads/forks.ts";
import { setMetadata } from "../threads/message-metadata.ts";
import { addMessage } from "../threads/messages.ts";
import { requireFork } from "../threads/places.ts";
import { requireLive } from "./fork-status.ts";
import { cancelForkTasks } from "./fork-tasks.ts";

/** All of what an agent may do in a fork. */
const allTypes = ["message_response", "fork_resolution", "summary"] as const;

/**
 * Posts the conclusion to the thread, once: whoever comes second is told so.
 * @throws WorkspaceError `conflict` when it is resolved or abandoned
 */
export async function postResolution(
  store: WorkspaceStore,
  id: string,
  text: string,
  actor: Actor,
): Promise<{ fork: Fork; message: Message }> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireFork(change.tables, id, actor);
    requireLive(row);
    await cancelForkTasks(change, id, allTypes);
    const message = await addMessage(change, actor.workspaceId, {
      threadId: row.thread_id,
      forkId: null,
      parent_id: row.message_id,
      author_type: "human",
      author_id: actor.userId,
      author_name: actor.name,
      text,
      parts: [],
      metadata: { kind: "resolution", forkId: id },
    });
    const set = { status: "resolved", resolution_id: message.id } as const;
    const fork = await setFork(change, row, set, "fork.resolved", (changed) => ({ fork: changed, message }));
    return { fork, message };
  });
}

/**
 * Goes on in a fork that has ended, or takes back that it is being resolved. Its resolution stays, marked.
 * @throws WorkspaceError `conflict` when it is open
 */
export async function reopenFork(store: WorkspaceStore, id: string, actor: Actor): Promise<Fork> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireFork(change.tables, id, actor);
    if (row.status === "open") throw new WorkspaceError("conflict", "the fork is open already");
    await cancelForkTasks(change, id, ["fork_resolution"]);
    if (row.status === "resolved" && row.resolution_id !== null)
      await setMetadata(change, row.resolution_id, { isReopened: true });
    return setFork(change, row, { status: "open", draft: null }, "fork.status_changed", (fork) => ({ fork }));
  });
}

/** Ends one without a conclusion. @throws WorkspaceError `conflict` when it has ended */
export async function abandonFork(store: WorkspaceStore, id: string, actor: Actor): Promise<Fork> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireFork(change.tables, id, actor);
    requireLive(row);
    await cancelForkTasks(change, id, allTypes);
    const set = { status: "abandoned", draft: null } as const;
    return setFork(change, row, set, "fork.status_changed", (fork) => ({ fork }));
  });
}

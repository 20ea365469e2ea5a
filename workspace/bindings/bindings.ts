/** Bindings of rooms to threads: asked for by an admin, made by the code that is said in the room, ended. */
import { createHash, randomBytes } from "node:crypto";
import type { WorkspaceChange } from "../database/changes/change.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { BindingTable } from "../database/tables/tables.ts";
import { type Actor, requireAdmin } from "../people/access.ts";
import type { Binding, CreatedBinding } from "../records/binding.ts";
import { timeOf, timeOrNull } from "../records/fields.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { addMessage } from "../threads/messages.ts";
import { requireThread } from "../threads/threads.ts";

const codeMs = 3_600_000;
/** 100 bits: it can't be guessed. */
const codeLength = 20;
const codeLetters = "abcdefghijklmnopqrstuvwxyz234567";
/** More would make every message of the thread as many of ours. */
const mostOfThread = 10;

const hashOf = (code: string) => createHash("sha256").update(code).digest("hex");

/** A code says that whoever made it may speak for the room: nobody can bind a group that they aren't in. @throws WorkspaceError */
export async function createBinding(
  store: WorkspaceStore,
  threadId: string,
  type: string,
  actor: Actor,
): Promise<CreatedBinding> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async ({ tables, now, tell }) => {
    await requireThread(tables, threadId, actor);
    await tables.deleteFrom("bindings").where("expires_at", "<", now).execute();
    const others = await tables.selectFrom("bindings").select("id").where("thread_id", "=", threadId).execute();
    if (others.length >= mostOfThread)
      throw new WorkspaceError("conflict", `the thread has ${mostOfThread} bindings`, "remove one of them first");
    const code = `bind-${[...randomBytes(codeLength)].map((byte) => codeLetters[byte % codeLetters.length]).join("")}`;
    const row: BindingTable = {
      id: newId(),
      workspace_id: actor.workspaceId,
      thread_id: threadId,
      channel_type: type,
      channel_id: null,
      code_hash: hashOf(code),
      expires_at: now + codeMs,
      position: 0,
      created_by: actor.userId,
      created_at: now,
    };
    await tables.insertInto("bindings").values(row).execute();
    const binding = bindingFrom(row);
    await tell("binding.updated", { binding });
    return { binding, code };
  });
}

/** Lists the bindings of a workspace, oldest first. */
export async function listBindings({ database }: WorkspaceStore, { workspaceId }: Actor): Promise<Binding[]> {
  const rows = await database
    .selectFrom("bindings")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">=", Date.now())]))
    .orderBy("id")
    .execute();
  return rows.map(bindingFrom);
}

/** Ends a binding: from now on the room is the agents' again, and the thread hears it. @throws WorkspaceError */
export async function removeBinding(store: WorkspaceStore, id: string, actor: Actor): Promise<void> {
  requireAdmin(actor);
  await store.changes.make(actor.workspaceId, async (change) => {
    const row = await change.tables
      .selectFrom("bindings")
      .selectAll()
      .where("id", "=", id)
      .where("workspace_id", "=", actor.workspaceId)
      .executeTakeFirst();
    if (!row) throw new WorkspaceError("not_found", "there is no such binding in this workspace");
    await change.tables.deleteFrom("bindings").where("id", "=", id).execute();
    await change.tell("binding.removed", { binding: bindingFrom(row) });
    if (row.channel_id !== null)
      await say(change, row, `No longer bound to ${roomOf(row)}: what is said here stays here.`);
  });
}

/** A code was said in a room: that room is bound. @returns what came of it; null: nobody waits for this code */
export async function redeemBindingCode(
  store: WorkspaceStore,
  code: string,
  room: { type: string; channelId: string },
): Promise<"bound" | "bound before" | null> {
  const waiting = await store.database
    .selectFrom("bindings")
    .select(["id", "workspace_id"])
    .where("code_hash", "=", hashOf(code))
    .where("channel_type", "=", room.type)
    .executeTakeFirst();
  if (!waiting) return null;
  return store.changes.make(waiting.workspace_id, async (change) => {
    const { tables, now } = change;
    const taken = await tables
      .selectFrom("bindings")
      .select("id")
      .where("channel_type", "=", room.type)
      .where("channel_id", "=", room.channelId)
      .executeTakeFirst();
    if (taken) return "bound before";
    const { last_event } = await tables
      .selectFrom("workspaces")
      .select("last_event")
      .where("id", "=", waiting.workspace_id)
      .executeTakeFirstOrThrow();
    const row = await tables
      .updateTable("bindings")
      .set({ channel_id: room.channelId, code_hash: null, expires_at: null, position: last_event })
      .where("id", "=", waiting.id)
      .where("code_hash", "is not", null)
      .where("expires_at", ">=", now)
      .returningAll()
      .executeTakeFirst();
    if (!row) return null;
    await change.tell("binding.updated", { binding: bindingFrom(row) });
    await say(change, row, `Bound to ${roomOf(row)}: what is said here is sent there, and the other way round.`);
    return "bound";
  });
}

/** All rooms that are bound, of all workspaces. */
export async function boundRooms({ database }: WorkspaceStore): Promise<BoundRoom[]> {
  const rows = await database.selectFrom("bindings").selectAll().orderBy("id").execute();
  return rows.flatMap((row) => (row.channel_id === null ? [] : [{ ...row, channel_id: row.channel_id }]));
}
export type BoundRoom = BindingTable & { channel_id: string };

/** The system's word in the thread, which goes to its rooms as well. */
async function say(change: WorkspaceChange, row: BindingTable, text: string): Promise<void> {
  await addMessage(change, row.workspace_id, {
    threadId: row.thread_id,
    forkId: null,
    parent_id: null,
    author_type: "system",
    author_id: null,
    author_name: "System",
    text,
    parts: [],
    metadata: {},
  });
}

const roomOf = ({ channel_type, channel_id }: BindingTable) => `${channel_type} ${channel_id}`;

function bindingFrom(row: BindingTable): Binding {
  const { id, workspace_id, thread_id, channel_type: type, channel_id, created_by } = row;
  const times = { expires_at: timeOrNull(row.expires_at), created_at: timeOf(row.created_at) };
  return { id, workspace_id, thread_id, type, channel_id, ...times, created_by };
}

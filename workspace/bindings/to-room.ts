/**
 * The messages of a bound thread for its room: in the order of the events, each with its author's name. What came from
 * the room isn't said there again. An agent's answer goes out when it is whole.
 */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { WorkspaceEvent } from "../records/events.ts";
import type { Message } from "../records/thread.ts";
import { messageFrom } from "../threads/messages.ts";
import type { BoundRoom } from "./bindings.ts";

/** Events looked at together. */
const together = 100;

/** A long text would flood a group: what is beyond stands in the thread. */
const longestText = 16_000;
const more = "\n\n… (the rest is in the thread)";

/** The next messages for a room, and the event up to which they go. `isAll`: there was nothing more then. */
export type NextForRoom = { messages: OutboundMessage[]; position: number; isAll: boolean };

export async function nextForRoom(store: WorkspaceStore, room: BoundRoom): Promise<NextForRoom> {
  const events = await store.changes.eventsAfter(room.workspace_id, room.position, together);
  const messages: OutboundMessage[] = [];
  for (const event of events) {
    const said = await saidIn(store, event, room);
    if (said) messages.push(said);
  }
  return { messages, position: events.at(-1)?.id ?? room.position, isAll: events.length < together };
}

/** Notes that everything up to an event has gone out. */
export async function noteSent({ database }: WorkspaceStore, { id }: BoundRoom, position: number): Promise<void> {
  await database
    .updateTable("bindings")
    .set({ position })
    .where("id", "=", id)
    .where("position", "<", position)
    .execute();
}

async function saidIn(
  store: WorkspaceStore,
  { event, data }: WorkspaceEvent,
  room: BoundRoom,
): Promise<OutboundMessage | null> {
  if (event === "message.created") {
    const { message } = data;
    const isUnfinished = message.author_type === "agent" && message.metadata.taskId !== undefined;
    return isUnfinished ? null : outboundOf(message, room);
  }
  if (event !== "task.status_changed" || data.task.thread_id !== room.thread_id || !data.task.output) return null;
  const row = await store.database
    .selectFrom("messages")
    .selectAll()
    .where("id", "=", data.task.output.messageId)
    .executeTakeFirst();
  return row ? outboundOf(messageFrom(row), room) : null;
}

/** Null: it isn't for this room. */
function outboundOf(message: Message, { id, thread_id, channel_type, channel_id }: BoundRoom): OutboundMessage | null {
  const { author_type, author_name, text, parts, metadata } = message;
  if (message.thread_id !== thread_id || message.fork_id !== null || metadata["bindingId"] === id) return null;
  if (text.trim() === "" && parts.length === 0) return null;
  const author = author_type === "system" ? "" : `${author_name}${author_type === "agent" ? " (AI)" : ""}: `;
  return {
    // The same one each time: whatever carries it drops it the second time.
    id: `thread-${id}-${message.id}`,
    text: cut(`${author}${text}`),
    channel: { type: channel_type, channelId: channel_id },
    ...(parts.length > 0 && {
      attachments: parts.map(({ id: file, name, mime, size }) => ({
        id: file,
        name: name.slice(0, 256),
        mime: mime.slice(0, 256),
        size,
      })),
    }),
  };
}

const cut = (text: string) =>
  text.length <= longestText ? text : text.slice(0, longestText - more.length).replace(/[\uD800-\uDBFF]$/, "") + more;

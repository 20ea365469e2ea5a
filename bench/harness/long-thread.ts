/** A thread with very many messages, stored many at a time: as rows, they are what `sendMessage` would have made. */
import { addWords } from "../../workspace/database/text/message-words.ts";
import { newId, type WorkspaceStore } from "../../workspace/database/changes/store.ts";
import type { EventTable, MessageTable } from "../../workspace/database/tables/tables.ts";
import type { Actor } from "../../workspace/people/access.ts";
import { messageFrom } from "../../workspace/threads/messages.ts";

/** PostgreSQL takes 65,535 values in a statement. */
const together = 1000;
const text = "What a member of a team says in a thread, of a usual length: two sentences. ".repeat(3);

export async function fillThread(
  { changes }: WorkspaceStore,
  threadId: string,
  count: number,
  actor: Actor,
): Promise<void> {
  const workspace_id = actor.workspaceId;
  for (let stored = 0; stored < count; stored += together)
    await changes.make(workspace_id, async ({ tables, now }) => {
      const last = await tables.selectFrom("workspaces").select("last_event").executeTakeFirstOrThrow();
      const messages: MessageTable[] = [];
      const events: EventTable[] = [];
      for (let index = 0; index < Math.min(together, count - stored); index++) {
        const position = last.last_event + index + 1;
        const message: MessageTable = {
          id: newId(),
          workspace_id,
          thread_id: threadId,
          fork_id: null,
          position,
          parent_id: null,
          author_type: "human",
          author_id: actor.userId,
          author_name: actor.name,
          text,
          parts_json: "[]",
          metadata_json: "{}",
          created_at: now,
          edited_at: null,
        };
        messages.push(message);
        const data_json = JSON.stringify({ message: messageFrom(message) });
        events.push({ workspace_id, number: position, event: "message.created", data_json, created_at: now });
      }
      await tables.insertInto("messages").values(messages).execute();
      await addWords(tables, messages);
      await tables.insertInto("events").values(events).execute();
      await tables
        .updateTable("workspaces")
        .set({ last_event: last.last_event + messages.length })
        .where("id", "=", workspace_id)
        .execute();
    });
}

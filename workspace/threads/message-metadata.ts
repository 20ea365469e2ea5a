/** The metadata of a message, beside its text. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Message, MessageMetadata } from "../records/thread.ts";
import { messageFrom } from "./messages.ts";

/** Adds to it, and tells of it. Null: there is no such message. */
export async function setMetadata(
  { tables, tell }: WorkspaceChange,
  id: string,
  added: MessageMetadata,
): Promise<Message | null> {
  const row = await tables.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) return null;
  const metadata_json = JSON.stringify({ ...(JSON.parse(row.metadata_json) as MessageMetadata), ...added });
  await tables.updateTable("messages").set({ metadata_json }).where("id", "=", id).execute();
  const message = messageFrom({ ...row, metadata_json });
  await tell("message.updated", { message });
  return message;
}

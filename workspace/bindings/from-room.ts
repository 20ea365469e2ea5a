/**
 * Messages of bound rooms become messages of their threads, each once. A member's are the member's, and bring agents in;
 * anybody else's are a guest's, whose mentions are words like others.
 */
import type { Attachment, InboundMessage } from "../../protocol/agents/channel.ts";
import type { FilePart } from "../../protocol/files/attachment.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import { queueAnswers } from "../mentions/queue-answers.ts";
import { addMessage } from "../threads/messages.ts";
import { memberByIdentity } from "./identities.ts";

/** PostgreSQL takes no NUL in a text. */
const withoutNul = (text: string) => text.replaceAll("\0", "");

/** In characters. */
const longestName = 100;

/** @returns whether it is stored now, was before, or its room isn't bound (any more) */
export async function takeFromRoom(
  store: WorkspaceStore,
  message: InboundMessage,
): Promise<"stored" | "repeated" | "unbound"> {
  const { type } = message.channel;
  const channel_id = withoutNul(message.channel.channelId);
  const bound = await store.database
    .selectFrom("bindings")
    .select(["id", "workspace_id"])
    .where("channel_type", "=", type)
    .where("channel_id", "=", channel_id)
    .executeTakeFirst();
  if (!bound) return "unbound";
  return store.changes.make(bound.workspace_id, async (change) => {
    const { tables, now } = change;
    const binding = await tables.selectFrom("bindings").selectAll().where("id", "=", bound.id).executeTakeFirst();
    if (!binding) return "unbound";
    const { numInsertedOrUpdatedRows } = await tables
      .insertInto("channel_messages")
      .values({ external_id: `${type}:${message.id}`, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) return "repeated";
    const identity = withoutNul(`${type}:${message.channel.userId ?? ""}`);
    const member = await memberByIdentity(tables, binding.workspace_id, identity);
    const stored = await addMessage(change, binding.workspace_id, {
      threadId: binding.thread_id,
      forkId: null,
      parent_id: null,
      author_type: "human",
      author_id: member?.userId ?? null,
      author_name: member?.name ?? guestName(message),
      text: withoutNul([message.text, ...problemsOf(message.attachments)].filter((line) => line !== "").join("\n")),
      parts: partsOf(message.attachments),
      metadata: { bindingId: binding.id, ...(member ? {} : { guest: identity }) },
    });
    if (member) await queueAnswers(change, binding.workspace_id, stored);
    return "stored";
  });
}

/** Shown as a guest's, so that nobody looks like a member by calling themselves so. */
function guestName({ channel, metadata }: InboundMessage): string {
  const told = metadata?.["name"];
  const name = typeof told === "string" ? told.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim() : "";
  const shown = name === "" ? (channel.userId ?? "somebody") : name;
  return `${shown.slice(0, longestName)} (guest)`;
}

const partsOf = (attachments: readonly Attachment[] = []): FilePart[] =>
  attachments.flatMap(({ id, name = "file", mime = "application/octet-stream", size = 0 }) =>
    id === undefined ? [] : [{ type: "file", id, name, mime, size }],
  );

/** Files that weren't taken are named with the reason. */
const problemsOf = (attachments: readonly Attachment[] = []): string[] =>
  attachments.flatMap(({ id, name = "file", ...told }) =>
    id === undefined ? [`(${name}: ${typeof told["problem"] === "string" ? told["problem"] : "it was not sent"})`] : [],
  );

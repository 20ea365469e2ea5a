/** Minds that reply to where they were last asked. */
import type { Mind } from "../../agents/agents-system.ts";
import type { Conversation } from "../../agents/conversation.ts";

const headerPattern = /\[channel: (\S+) \| id: ([^\]|]+?)(?: \| thread: ([^\]]+?))?\]/g;

type Files = { path: string }[];

/** The call of a reply to where it was last asked. */
export function replyCall({ said }: Conversation, text: string, attachments?: Files) {
  const [, channelType, channelId, replyTo] = [...said.join("\n").matchAll(headerPattern)].at(-1) ?? [];
  const place = { channelType, channelId, ...(replyTo && { replyTo }) };
  return { tool: "reply", args: { text, ...place, ...(attachments && { attachments }) } };
}

/** Replies once. */
export const replies =
  (text: string, attachments?: Files): Mind =>
  (conversation) =>
    conversation.results.length > 0 ? { text: "." } : { calls: [replyCall(conversation, text, attachments)] };

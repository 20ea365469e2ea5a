/** The Message-ID of a mail of ours: made of the message's id, so that one that is sent again is the same mail. Pure. */
import { domainOf } from "./address.ts";

const prefix = "cortex.";
const permission = "permission-";

/** @param part the mail's number among those that the message goes out in */
export const ownMessageId = (id: string, part: number, own: string): string =>
  `${prefix}${id}${part === 0 ? "" : `.${part}`}@${domainOf(own)}`;

export const isOwnMessageId = (messageId: string, own: string): boolean =>
  messageId.startsWith(prefix) && messageId.toLowerCase().endsWith(`@${domainOf(own)}`);

/** The question that a mail of ours asked; null: it asked none, or isn't ours. */
export function askedIn(messageId: string, own: string): string | null {
  if (!isOwnMessageId(messageId, own) || !messageId.startsWith(prefix + permission)) return null;
  return messageId.slice(prefix.length + permission.length, messageId.lastIndexOf("@"));
}

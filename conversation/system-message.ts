/**
 * What the system itself says in a conversation, in a tag that nobody else can write: inside of it, and in whatever a user
 * types, the begin of such a tag is escaped. Pure.
 */
import { visible, visibleLine } from "./plain-text.ts";

/** The begin of our tag, or of its end, however it is spaced. */
const tag = /<(?=\s*\/?\s*system_message)/gi;
/** The line that names the channel. Only ours stands at the begin of a line. */
const channelLine = /^(\s*)\[(?=\s*channel\s*:)/gim;

/** Wraps a text. It reads the same whoever wraps it again from the same parts. */
export function systemMessage(origin: string, text: string): string {
  return `<system_message origin="${attribute(origin)}">${withoutHeaders(inert(text))}</system_message>`;
}

/** What anybody may have written, without a tag of ours. */
export function inert(text: string): string {
  return visible(text).replace(tag, "&lt;");
}

export type MessageSource = { type: string; channelId: string; replyTo?: string | undefined };

/** What a user has said, below the line that names where. */
export function userMessage({ type, channelId, replyTo }: MessageSource, text: string): string {
  const thread = replyTo === undefined ? "" : ` | thread: ${field(replyTo)}`;
  return `[channel: ${field(type)} | id: ${field(channelId)}${thread}]\n${withoutHeaders(inert(text))}`;
}

/** A result that quotes such a line is no user's word, either. */
const withoutHeaders = (text: string) => text.replace(channelLine, "$1\\[");

/** A field within the line in brackets: it can neither end the line nor begin another field. */
const field = (text: string) => inert(visibleLine(text)).replace(/[[\]|]/g, "_");

const attribute = (text: string) =>
  visibleLine(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * Marks of the system in a conversation: the tag in which it speaks, and the line that names a user's channel. Nobody else
 * can write them: in whatever comes from outside their begin is escaped, here and nowhere else. Pure.
 *
 * Each pattern reads a text once: what may repeat ends where the next try begins.
 */
import { madeOnce } from "./made-once.ts";
import { visible, visibleLine } from "./plain-text.ts";

/** Characters that nobody sees. Text that keeps them could disguise a mark by them. */
const hidden = "[\\p{Cf}\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*";
/** Without those at which a line begins. */
const blank = "[\\p{Zs}\\p{Cf}\\t\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]*";
const spelled = (word: string) => word.split("").join(hidden);

/** The begin of our tag, or of its end, however it is spaced. */
const tag = madeOnce(() => new RegExp(`<(?=[\\s/\\p{Cf}\\p{Cc}]*${spelled("system_message")})`, "giu"));
/** The line that names the channel. Only ours stands at the begin of a line. */
const channelLine = madeOnce(
  () => new RegExp(`(^|[\\v\\f\\x85])(${blank})\\[(?=${blank}${spelled("channel")}${blank}:)`, "gimu"),
);

/** Wraps a text. It reads the same whoever wraps it again from the same parts. */
export function systemMessage(origin: string, text: string): string {
  return `<system_message origin="${attribute(origin)}">${unmarked(visible(text))}</system_message>`;
}

export type MessageSource = { type: string; channelId: string; replyTo?: string | undefined };

/** Builds the message of a user's text, below the line that names where. */
export function userMessage({ type, channelId, replyTo }: MessageSource, text: string): string {
  const thread = replyTo === undefined ? "" : ` | thread: ${field(replyTo)}`;
  return `[channel: ${field(type)} | id: ${field(channelId)}${thread}]\n${unmarked(visible(text))}`;
}

/** Text from outside without marks of ours, else as it is: an input, a tool's result. */
export function unmarked(text: string): string {
  const untagged = text.includes("<") ? text.replace(tag(), "&lt;") : text;
  return untagged.includes("[") ? untagged.replace(channelLine(), "$1$2\\[") : untagged;
}

/** A value from outside, each text in it without marks of ours. */
export function unmarkedValue(value: unknown): unknown {
  if (typeof value === "string") return unmarked(value);
  if (Array.isArray(value)) return value.map(unmarkedValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [unmarked(key), unmarkedValue(field)]));
}

/** A field within the line in brackets: it can neither end the line nor begin another field. */
const field = (text: string) => unmarked(visibleLine(text)).replace(/[[\]|]/g, "_");

const attribute = (text: string) =>
  visibleLine(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

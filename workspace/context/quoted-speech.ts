/**
 * The message of somebody in a thread, quoted with their name before it, so that nobody can speak for another. Pure.
 */
import { quoteLabels, speakerName } from "../../conversation/marks/speaker-labels.ts";
import type { Message } from "../records/thread.ts";

/** The messages that were quoted before: a context is tried in several sizes. */
const known = new WeakMap<object, string>();

/** `[Ada]: …`, and `[Coder (AI)]: …` for an agent. Lines within it that look like the name of a speaker are quoted. */
export function quotedSpeech(message: Pick<Message, "author_name" | "author_type" | "text">): string {
  const quoted = known.get(message) ?? quote(message);
  known.set(message, quoted);
  return quoted;
}

function quote({ author_name, author_type, text }: Pick<Message, "author_name" | "author_type" | "text">): string {
  const name = speakerName(author_name) + (author_type === "agent" ? " (AI)" : "");
  return `[${name}]: ${quoteLabels(text)}`;
}

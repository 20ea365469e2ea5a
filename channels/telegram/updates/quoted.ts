/** The message that a message answers, as a quote above it: a model doesn't see what a person points at. Pure. */
import type { Message, User } from "grammy/types";
import { visible, visibleLine } from "../../../conversation/marks/plain-text.ts";
import type { Bot } from "./addressed.ts";

/** Characters that are quoted. */
const longest = 500;

/** Texts that are read to the letter: commands, codes that make somebody an owner, answers to a question. */
const literal = /^(?:\/|[A-HJKMNP-Z2-9]{8}$|(?:allow|always|deny)\s{1,20}\S{8})/i;

/** @param contentOf content of a message that is neither text nor a file, in words */
export function withQuote(text: string, message: Message, bot: Bot, contentOf: (message: Message) => string): string {
  const { reply_to_message: before, quote } = message;
  if (literal.test(text) || (!before && !quote) || before?.forum_topic_created) return text;
  const said = quote?.text ?? before?.text ?? before?.caption ?? (before ? contentOf(before) : "");
  const quoted = visible(said || "[a file]")
    .slice(0, longest)
    .toWellFormed();
  const who = before?.from ? `${before.from.id === bot.id ? "you" : nameOf(before.from)}: ` : "";
  const lines = `${who}${quoted}${said.length > longest ? " …" : ""}`.split(/\r?\n/).map((line) => `> ${line}`);
  return [...lines, ...(text === "" ? [] : ["", text])].join("\n");
}

/** The name of somebody, for people. */
export const nameOf = ({ first_name, last_name }: User): string =>
  visibleLine([first_name, last_name].filter((part) => part !== undefined).join(" "));

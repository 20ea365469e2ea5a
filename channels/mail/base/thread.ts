/** The thread of a mail, its subject, and how an answer stands in it. Pure. */
import { createHash } from "node:crypto";
import type { MailThread } from "../../../journal/channels/mail-threads.ts";
import { saidAnswerIn } from "../../../protocol/agents/said-answers.ts";
import type { MailHeaders } from "./headers.ts";

/** A Message-ID that a model and our own lines can carry as it is. */
const plainPattern = /^[A-Za-z0-9.!#$%&'*+/=?^_`{}~@-]{1,200}$/;
const longestSubject = 200;

/**
 * The name of a mail's thread: the Message-ID of its first mail, or what stands for it where that can't be carried. Whoever isn't
 * believed has threads of their own, whatever they name.
 */
export function threadOf({ references, messageId }: MailHeaders, id: string, isBelieved: boolean): string {
  const root = references[0] ?? messageId ?? id;
  if (isBelieved && plainPattern.test(root)) return root;
  return createHash("sha256").update(`${isBelieved}\n${root}`).digest("hex");
}

/** The text with the subject above it, where that says something: not in an answer, nor above what is read to the letter. */
export function textWithSubject(
  { subject, references }: Pick<MailHeaders, "subject" | "references">,
  text: string,
): string {
  if (text === "") return subject;
  return subject === "" || references.length > 0 || isLiteral(text) ? text : `Subject: ${subject}\n\n${text}`;
}

/** A command, a code, or an answer to a question for a permission. */
const isLiteral = (text: string) => text.startsWith("/") || !/\s/.test(text) || saidAnswerIn(text) !== null;

export type ThreadHeaders = { subject: string; inReplyTo?: string; references?: string[] };

/** The headers of an answer into a thread. @param known null: it was forgotten, or is none of ours */
export function answerHeaders(thread: string, known: MailThread | null): ThreadHeaders {
  const messageIds = known?.messageIds ?? (thread.includes("@") ? [thread] : []);
  const bracketed = messageIds.map((id) => `<${id}>`);
  const subject = known?.subject.trim() ?? "";
  return {
    subject: /^re:/i.test(subject)
      ? subject.slice(0, longestSubject)
      : `Re: ${subject}`.trim().slice(0, longestSubject),
    ...(bracketed.length > 0 && { inReplyTo: bracketed.at(-1) ?? "", references: bracketed }),
  };
}

/** A subject of a mail that answers none: how its text begins. */
export function subjectOf(text: string): string {
  const first = text.split("\n").find((line) => line.trim() !== "") ?? "";
  const plain = first
    .replaceAll(/[*_`#>[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (plain === "") return "A message";
  return plain.length <= 78 ? plain : `${plain.slice(0, 77).toWellFormed().trimEnd()}…`;
}

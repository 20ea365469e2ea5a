/** The threads of the mail channel, `.state/channels/mail-threads/`: what an answer into one needs to be shown as one. */
import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { namesIn } from "../../files/folder-entries.ts";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { state } from "../config/paths.ts";

const MailThread = z.object({
  subject: z.string(),
  /** The Message-IDs of its mails as far as they are known, the first and the latest ones, in order, without brackets. */
  messageIds: z.array(z.string()).min(1),
});
export type MailThread = z.infer<typeof MailThread>;

/** An answer into one that was forgotten has the thread's id alone. */
const maxThreads = 10_000;
/** Message-IDs of a thread at most: those in the middle are left out, as mail programs do it. */
const maxMessageIds = 30;
const maxSubject = 500;

const folder = (journal: string) => state(journal, "channels", "mail-threads");
const fileOf = (journal: string, room: string, thread: string) =>
  join(folder(journal), `${createHash("sha256").update(`${room}\n${thread}`).digest("hex").slice(0, 40)}.json`);

/** @param room the address with which it is */
export const readMailThread = (journal: string, room: string, thread: string): MailThread | null =>
  readDocument(fileOf(journal, room, thread), MailThread);

/** Resolves when it is on the disk. */
export function writeMailThread(
  journal: string,
  room: string,
  thread: string,
  { subject, messageIds }: MailThread,
): Promise<void> {
  const [first = thread, ...rest] = messageIds;
  const kept = { subject: subject.slice(0, maxSubject), messageIds: [first, ...rest.slice(1 - maxMessageIds)] };
  return replaceFile(fileOf(journal, room, thread), `${JSON.stringify(kept)}\n`);
}

/** Forgets the threads in which nobody has written for the longest time, beyond so many. */
export function forgetOldMailThreads(journal: string): void {
  const paths = namesIn(folder(journal)).map((name) => join(folder(journal), name));
  if (paths.length <= maxThreads) return;
  const timed = paths.map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  const oldest = timed.toSorted((a, b) => a.at - b.at).slice(0, paths.length - maxThreads);
  for (const { path } of oldest) rmSync(path, { recursive: true, force: true });
}

/** Files of a request and of the conversation before it, as the run's file has them, else taken into the store. */
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import type { AttachmentRef, FilePart } from "../../protocol/files/attachment.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import type { RunSoFar } from "../limits/run-so-far.ts";

export type RequestFiles = {
  parts: FilePart[];
  /** The conversation before the prompt, with its files by reference. Absent: the request has none. */
  conversation: Message[] | undefined;
  /** Files of the conversation that can't be taken, and why: what was said goes on without them. */
  notes: string[];
  /** A file of the request itself that can't be taken, and why. */
  problem: string | null;
};

type Take = (refs: readonly AttachmentRef[]) => Promise<FilePart[]>;

/** @param soFar what the run's file says already */
export async function filesOfRequest(
  { attachments = [], conversation }: Request,
  soFar: Pick<RunSoFar, "parts" | "conversation">,
  take: Take,
): Promise<RequestFiles> {
  const files: RequestFiles = { parts: [], conversation: undefined, notes: [], problem: null };
  try {
    files.parts = soFar.parts.length === attachments.length ? soFar.parts : await take(attachments);
    if (conversation) files.conversation = await withFiles(conversation, soFar.conversation, take, files.notes);
  } catch (error) {
    if (!(error instanceof AttachmentError)) throw error;
    files.problem = error.message;
  }
  return files;
}

async function withFiles(
  conversation: NonNullable<Request["conversation"]>,
  known: readonly Message[],
  take: Take,
  notes: string[],
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const [index, { role, text, attachments = [] }] of conversation.entries()) {
    const before = known[index]?.parts ?? [];
    const parts = before.length === attachments.length ? before : await taken(attachments, index, take, notes);
    const lost = attachments.length - parts.length;
    const message = { role, text: lost > 0 ? `${text}\n\n(${lost} of its files can't be shown.)`.trimStart() : text };
    messages.push(parts.length > 0 ? { ...message, parts } : message);
  }
  return messages;
}

/** One that is gone or no longer allowed doesn't end what was said long ago. */
async function taken(refs: readonly AttachmentRef[], index: number, take: Take, notes: string[]): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for (const ref of refs) {
    try {
      parts.push(...(await take([ref])));
    } catch (error) {
      if (!(error instanceof AttachmentError)) throw error;
      notes.push(`conversation[${index}]: ${error.message}`);
    }
  }
  return parts;
}

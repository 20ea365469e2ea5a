/** A file that came with a message, from the daemon, which has it by its id: the message names where it is stored, or why it isn't. */
import { z } from "zod";
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { isBase64 } from "../../protocol/files/base64.ts";
import type { RemoteFile } from "./envelope.ts";
import type { Room } from "./incoming.ts";
import { NoAnswerError, RefusedCallError, type SignalRpc } from "./signal-rpc.ts";

/** The largest file that is fetched: it comes within one answer. */
const maxBytes = 50 * 1024 * 1024;

const Content = z.union([z.looseObject({ data: z.string() }), z.string().transform((data) => ({ data }))]);

export type FileSource = { rpc: SignalRpc; journal: string; rules: AttachmentRules; signal: AbortSignal };

/** The file as it is told of, before it is fetched. */
export function describedFile({ id, contentType, filename, size }: RemoteFile): Attachment {
  const name = filename || id || "file";
  return { name: name.slice(0, 256), ...(contentType && { type: contentType }), ...(size && { size }) };
}

/** Fetches a file. Its problem stands in what is returned, whatever it is: the message goes on without it. */
export async function fetchFile(
  { rpc, journal, rules, signal }: FileSource,
  file: RemoteFile,
  room: Room,
): Promise<Attachment> {
  const described = describedFile(file);
  const most = Math.min(maxBytes, rules.maxBytes);
  if (!file.id) return { ...described, problem: "signal-cli doesn't have it" };
  if ((file.size ?? 0) > most) return { ...described, problem: `larger than ${most / 1024 / 1024} MiB` };
  try {
    // In base64, and with what is around it.
    const answer = await rpc("getAttachment", { id: file.id, ...room }, signal, most * 1.4 + 65_536);
    const { data } = Content.parse(answer);
    if (!isBase64(data)) return { ...described, problem: "signal-cli's answer can't be read" };
    const bytes = Buffer.from(data, "base64");
    const stored = await storeAttachment(attachmentsFolder(journal), described.name ?? "file", [bytes], {
      ...rules,
      maxBytes: most,
    });
    return { id: stored.id, name: stored.name, mime: stored.mime, size: stored.size };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AttachmentError) return { ...described, problem: error.message };
    const isOfSignal = error instanceof RefusedCallError || error instanceof NoAnswerError;
    return { ...described, problem: isOfSignal ? error.message : "it couldn't be fetched" };
  }
}

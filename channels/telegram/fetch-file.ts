/** Download of a file that came with a message: the message names where it is stored, or why it isn't. */
import type { Api } from "grammy";
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError, AttachmentTooLargeError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { toDeliveryError } from "./calls/failures.ts";
import type { RemoteFile } from "./updates/update.ts";

/** From the Bot API: it gives no larger one. */
const maxBytes = 20 * 1024 * 1024;
const withinMs = 120_000;

export type FileSource = {
  api: Api;
  apiRoot: string;
  token: string;
  journal: string;
  rules: AttachmentRules;
  signal: AbortSignal;
};

/** A file as its message describes it, within what a message of ours takes. */
export const described = ({ name, type, size }: RemoteFile): Attachment => ({
  name: name.slice(0, 256) || "file",
  ...(type && { type: type.slice(0, 256) }),
  ...(size !== undefined && { size }),
});

/** Fetches a file. Its problem stands in what is returned, whatever it is: the message goes on without it. */
export async function fetchFile(source: FileSource, file: RemoteFile): Promise<Attachment> {
  const { api, apiRoot, token, journal, rules, signal } = source;
  const most = Math.min(maxBytes, rules.maxBytes);
  const failed = (problem: string) => ({ ...described(file), problem });
  if ((file.size ?? 0) > most) return failed(tooLarge(most));
  const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  try {
    const { file_path } = await api.getFile(file.fileId).catch((error: unknown) => {
      throw toDeliveryError(error);
    });
    if (file_path === undefined) return failed("Telegram doesn't give it");
    const response = await fetch(`${apiRoot}/file/bot${token}/${file_path}`, { redirect: "error", signal: until });
    if (!response.ok || !response.body) return failed(`Telegram answered ${response.status}`);
    const folder = attachmentsFolder(journal);
    const stored = await storeAttachment(folder, file.name, response.body, { ...rules, maxBytes: most });
    return { id: stored.id, name: stored.name, mime: stored.mime, size: stored.size };
  } catch (error) {
    if (signal.aborted) throw error;
    // An address with the token may stand in what fetch throws: its kind is enough.
    if (error instanceof AttachmentTooLargeError) return failed(tooLarge(most));
    return failed(error instanceof AttachmentError ? error.message : `it couldn't be fetched (${kindOf(error)})`);
  }
}

const tooLarge = (most: number) => `larger than ${most / 1024 / 1024} MiB`;
const kindOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

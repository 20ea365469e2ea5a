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

/** Fetches a file. Its problem stands in what is returned, whatever it is: the message goes on without it. */
export async function fetchFile(source: FileSource, file: RemoteFile): Promise<Attachment> {
  const { api, apiRoot, token, journal, rules, signal } = source;
  const most = Math.min(maxBytes, rules.maxBytes);
  const { name, type, size } = file;
  const described = {
    name: name.slice(0, 256),
    ...(type === undefined ? {} : { type }),
    ...(size === undefined ? {} : { size }),
  };
  if ((size ?? 0) > most) return { ...described, problem: tooLarge(most) };
  const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  try {
    const { file_path } = await api.getFile(file.fileId).catch((error: unknown) => {
      throw toDeliveryError(error);
    });
    if (file_path === undefined) return { ...described, problem: "Telegram doesn't give it" };
    const response = await fetch(`${apiRoot}/file/bot${token}/${file_path}`, { redirect: "error", signal: until });
    if (!response.ok || !response.body) return { ...described, problem: `Telegram answered ${response.status}` };
    const folder = attachmentsFolder(journal);
    const stored = await storeAttachment(folder, name, response.body, { ...rules, maxBytes: most });
    return { id: stored.id, name: stored.name, mime: stored.mime, size: stored.size };
  } catch (error) {
    if (signal.aborted) throw error;
    // An address with the token may stand in what fetch throws: its kind is enough.
    if (error instanceof AttachmentTooLargeError) return { ...described, problem: tooLarge(most) };
    const why = error instanceof AttachmentError ? error.message : `it couldn't be fetched (${kindOf(error)})`;
    return { ...described, problem: why };
  }
}

const tooLarge = (most: number) => `larger than ${most / 1024 / 1024} MiB`;
const kindOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

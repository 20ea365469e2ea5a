/** Download of a file that came with a message: the message names where it is stored, or why it isn't. */
import type { Api } from "grammy";
import { storeAttachment } from "../../journal/channels/attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { toDeliveryError } from "./failures.ts";
import type { RemoteFile } from "./update.ts";

/** From the Bot API: it gives no larger one. */
const maxBytes = 20 * 1024 * 1024;
const withinMs = 120_000;

export type FileSource = {
  api: Api;
  apiRoot: string;
  token: string;
  journal: string;
  day: string;
  signal: AbortSignal;
};

/** Whatever is wrong with it stands in what is returned: the message goes on without it. @throws when everything stops */
export async function fetchFile(source: FileSource, id: string, file: RemoteFile): Promise<Attachment> {
  const { api, apiRoot, token, journal, day, signal } = source;
  const { name, type, size } = file;
  const described = {
    name: name.slice(0, 256),
    ...(type === undefined ? {} : { type }),
    ...(size === undefined ? {} : { size }),
  };
  if ((size ?? 0) > maxBytes) return { ...described, problem: tooLarge };
  const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  try {
    const { file_path } = await api.getFile(file.fileId).catch((error: unknown) => {
      throw toDeliveryError(error);
    });
    if (file_path === undefined) return { ...described, problem: "Telegram doesn't give it" };
    const response = await fetch(`${apiRoot}/file/bot${token}/${file_path}`, { redirect: "error", signal: until });
    if (!response.ok || !response.body) return { ...described, problem: `Telegram answered ${response.status}` };
    const stored = await storeAttachment(journal, { day, id, name, content: response.body, maxBytes });
    return { ...described, ...stored };
  } catch (error) {
    if (signal.aborted) throw error;
    // An address with the token may stand in what fetch throws: its kind is enough.
    return { ...described, problem: isTooLarge(error) ? tooLarge : `it couldn't be fetched (${kindOf(error)})` };
  }
}

const tooLarge = `larger than ${maxBytes / 1024 / 1024} MiB`;
const isTooLarge = (error: unknown) => error instanceof Error && error.name === "AttachmentTooLargeError";
const kindOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/** A stored file goes out as a photo, a voice message or a document. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type Api, GrammyError, InputFile } from "grammy";
import { attachmentsFolder } from "../../../journal/attachments/take-attachments.ts";
import type { Attachment, Channel } from "../../../protocol/agents/channel.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { PermanentDeliveryError } from "../../adapter/delivery-errors.ts";
import { toDeliveryError } from "../calls/failures.ts";
import { threadOf } from "../calls/thread.ts";

/** From the Bot API. */
const maxPhotoBytes = 10_000_000;
const maxDocumentBytes = 50_000_000;
const voiceTypes = ["audio/ogg"];
const photoTypes = ["image/jpeg", "image/png", "image/webp"];

type SendSignal = Parameters<Api["sendDocument"]>[3];

/** @throws a delivery error */
export async function sendFile(
  api: Api,
  journal: string,
  channel: Channel,
  { id, name = "file", mime = "", size = 0 }: Attachment,
  signal: AbortSignal,
): Promise<{ external_id: string }> {
  if (id === undefined) throw new PermanentDeliveryError(`the file ${name} isn't stored`);
  if (size > maxDocumentBytes) throw new PermanentDeliveryError(`the file ${name} is larger than Telegram takes`);
  const path = join(attachmentsFolder(journal), contentPath(id));
  if (!(await isThere(path))) throw new PermanentDeliveryError(`the file ${name} isn't stored any more`);
  const { channelId } = channel;
  const thread = threadOf(channel);
  const file = () => new InputFile(path, name);
  try {
    const sendAs =
      photoTypes.includes(mime) && size <= maxPhotoBytes ? "sendPhoto" : voiceTypes.includes(mime) ? "sendVoice" : null;
    const asDocument = () => api.sendDocument(channelId, file(), thread, signal as SendSignal);
    const sent = await (sendAs === null
      ? asDocument()
      : api[sendAs](channelId, file(), thread, signal as SendSignal).catch((error: unknown) => {
          // Its sides may be too long or too unlike, its sound too rare: what is no photo to Telegram is a document.
          if (!(error instanceof GrammyError) || error.error_code !== 400) throw error;
          return asDocument();
        }));
    return { external_id: String(sent.message_id) };
  } catch (error) {
    throw toDeliveryError(error);
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

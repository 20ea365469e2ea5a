/** A part of a message goes out: a text with its styles, or a stored file. */
import { z } from "zod";
import { readAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment, OutboundMessage } from "../../protocol/agents/channel.ts";
import { PermanentDeliveryError } from "../adapter/delivery-errors.ts";
import type { Room } from "./incoming.ts";
import { toDeliveryError } from "./signal-failures.ts";
import { stylesOf } from "./signal-parts.ts";
import type { SignalRpc } from "./signal-rpc.ts";

/** It goes to the daemon within one request. */
const maxFileBytes = 25 * 1024 * 1024;

const Sent = z.looseObject({ timestamp: z.number().int().positive() });

/** @returns when it was sent, which is how Signal names it. @throws a delivery error */
export async function sendPart(
  rpc: SignalRpc,
  { journal, number }: { journal: string; number: string },
  part: OutboundMessage,
  signal: AbortSignal,
): Promise<number> {
  const [file] = part.attachments ?? [];
  if (part.text.trim() === "" && !file) throw new PermanentDeliveryError("there is no text, and nothing else is sent");
  const content = file
    ? { attachments: [await dataUri(journal, file)] }
    : { message: part.text, textStyles: stylesOf(part) };
  const result = await rpc("send", { ...roomOf(part.channel.channelId), ...content }, signal).catch(
    (error: unknown) => {
      throw toDeliveryError(error, number);
    },
  );
  const sent = Sent.safeParse(result);
  if (!sent.success) throw new Error("signal-cli's answer can't be read: nobody knows whether the message was sent");
  return sent.data.timestamp;
}

/** The room that a `channelId` names: somebody's number or id, or a group. @throws PermanentDeliveryError */
export function roomOf(channelId: string): Room {
  if (/^\+\d{3,17}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(channelId)) return { recipient: channelId };
  if (/^[A-Za-z0-9+/]{20,200}={0,2}$/.test(channelId)) return { groupId: channelId };
  throw new PermanentDeliveryError(`"${channelId}" is neither a number, an account nor a group of Signal's`);
}

async function dataUri(
  journal: string,
  { id, name = "file", mime = "application/octet-stream" }: Attachment,
): Promise<string> {
  const content = id === undefined ? null : await readFile(journal, id, name);
  if (!content) throw new PermanentDeliveryError(`the file ${name} isn't stored`);
  return `data:${mime};filename=${encodeURIComponent(name)};base64,${content.toString("base64")}`;
}

async function readFile(journal: string, id: string, name: string): Promise<Buffer | null> {
  try {
    return await readAttachment(attachmentsFolder(journal), id, maxFileBytes);
  } catch (error) {
    throw error instanceof AttachmentError ? new PermanentDeliveryError(`the file ${name}: ${error.message}`) : error;
  }
}

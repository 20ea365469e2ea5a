/** A stored file goes out. It is seen only with the last of three calls: whatever fails before that may be tried again. */
import { openAsBlob } from "node:fs";
import { join } from "node:path";
import type { WebClient } from "@slack/web-api";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { contentPath } from "../../protocol/files/attachment.ts";
import { failureOfStatus, PermanentDeliveryError, RetryableDeliveryError } from "../adapter/delivery-errors.ts";
import { ownAddress } from "./own-host.ts";
import { toDeliveryError, unseen } from "./service/failures.ts";

/** From Slack's reference. */
const maxBytes = 1_000_000_000;

export type FileTarget = {
  client: WebClient;
  apiUrl: string;
  journal: string;
  room: string;
  thread: string | undefined;
};

/** @throws a delivery error */
export async function sendFile(
  { client, apiUrl, journal, room, thread }: FileTarget,
  { id, name = "file" }: Attachment,
  signal: AbortSignal,
): Promise<{ external_id: string }> {
  if (id === undefined) throw new PermanentDeliveryError(`the file ${name} isn't stored`);
  const path = join(attachmentsFolder(journal), contentPath(id));
  const content = await blobOf(path);
  if (!content) throw new PermanentDeliveryError(`the file ${name} isn't stored any more`);
  if (content.size > maxBytes) throw new PermanentDeliveryError(`the file ${name} is larger than Slack takes`);
  if (content.size === 0) throw new PermanentDeliveryError(`the file ${name} is empty, and Slack takes none`);
  const file_id = await unseen(() => upload(client, apiUrl, name, content, signal));
  const files: [{ id: string; title: string }] = [{ id: file_id, title: name }];
  try {
    await client.files.completeUploadExternal(
      thread === undefined ? { files, channel_id: room } : { files, channel_id: room, thread_ts: thread },
    );
    return { external_id: file_id };
  } catch (error) {
    throw toDeliveryError(error);
  }
}

/** The content of a file, which is read as it is sent; null: there is none. */
async function blobOf(path: string): Promise<Blob | null> {
  try {
    return await openAsBlob(path);
  } catch {
    return null;
  }
}

/** Stores the content with Slack, where nobody sees it yet. */
async function upload(client: WebClient, apiUrl: string, name: string, content: Blob, signal: AbortSignal) {
  const { upload_url = "", file_id = "" } = await client.files.getUploadURLExternal({
    filename: name,
    length: content.size,
  });
  const address = ownAddress(upload_url, apiUrl);
  if (!address || file_id === "") throw new PermanentDeliveryError("Slack names no address of its own for a file");
  const response = await fetch(address, { method: "POST", body: content, redirect: "error", signal });
  await response.body?.cancel();
  const failure = failureOfStatus(response.status, "Slack's store of files");
  if (failure) throw failure instanceof PermanentDeliveryError ? failure : new RetryableDeliveryError(failure.message);
  return file_id;
}

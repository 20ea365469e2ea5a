/** Download of a file that came with a message: the message names where it is stored, or why it isn't. */
import type { WebClient } from "@slack/web-api";
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError, AttachmentTooLargeError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { type RemoteFile, remoteFileOf } from "./event.ts";
import { ownAddress } from "./own-host.ts";

const withinMs = 120_000;

export type FileSource = {
  hasty: WebClient;
  apiUrl: string;
  token: string;
  journal: string;
  rules: AttachmentRules;
  signal: AbortSignal;
};

/** A file as its message describes it. */
export const described = ({ name, type, size }: RemoteFile): Attachment => ({
  name: name.slice(0, 256),
  ...(type === undefined ? {} : { type }),
  ...(size === undefined ? {} : { size }),
});

/** Fetches a file. Its problem stands in what is returned, whatever it is: the message goes on without it. */
export async function fetchFile(source: FileSource, given: RemoteFile): Promise<Attachment> {
  const file = given.url === undefined ? await lookedUp(source, given) : given;
  const { apiUrl, token, journal, rules, signal } = source;
  const failed = (problem: string) => ({ ...described(file), problem });
  if ((file.size ?? 0) > rules.maxBytes) return failed(tooLarge(rules.maxBytes));
  if (file.url === undefined) return failed("Slack doesn't give it");
  const address = ownAddress(file.url, apiUrl);
  if (!address) return failed("it isn't at Slack's own address");
  try {
    const response = await fetch(address, {
      headers: { Authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    });
    if (!response.ok || !response.body) return failed(`Slack answered ${response.status}`);
    // Without the scope files:read it gives the page to sign in.
    if (isPage(response.headers.get("content-type")) && !isPage(file.type)) {
      await response.body.cancel();
      return failed("Slack gives a page instead: has the bot the scope files:read?");
    }
    const stored = await storeAttachment(attachmentsFolder(journal), file.name, response.body, rules);
    return { id: stored.id, name: stored.name, mime: stored.mime, size: stored.size };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AttachmentTooLargeError) return failed(tooLarge(rules.maxBytes));
    return failed(error instanceof AttachmentError ? error.message : `it couldn't be fetched (${kindOf(error)})`);
  }
}

/** A file of another workspace, in a channel that both share, has no address until it is asked for. */
async function lookedUp({ hasty }: FileSource, file: RemoteFile): Promise<RemoteFile> {
  if (file.id === undefined) return file;
  try {
    return remoteFileOf((await hasty.files.info({ file: file.id })).file) ?? file;
  } catch {
    return file; // its problem is that there is no address
  }
}

const isPage = (type: string | null | undefined) => type?.startsWith("text/html") ?? false;
const tooLarge = (most: number) => `larger than ${most / 1024 / 1024} MiB`;
const kindOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

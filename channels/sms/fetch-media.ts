/**
 * Download of a file that came with a message. The account's name and token go to Twilio's own host alone: where that leads
 * elsewhere, they aren't taken along.
 */
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError, AttachmentTooLargeError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import type { RemoteMedia } from "./received-sms.ts";
import { publicApi, type TwilioAccount } from "./sms-config.ts";
import { basicAuth } from "./twilio-api.ts";

/** From Twilio: no file of a message is larger. */
const maxBytes = 16 * 1024 * 1024;
/** Twilio waits 15 s for its answer, and asks again. */
const withinMs = 60_000;
const mostHops = 3;

export type MediaSource = { account: TwilioAccount; journal: string; rules: AttachmentRules; signal: AbortSignal };

/** Fetches a file. Its problem stands in what is returned, whatever it is: the message goes on without it. */
export async function fetchMedia(source: MediaSource, { url, type, name }: RemoteMedia): Promise<Attachment> {
  const { account, journal, rules, signal } = source;
  const most = Math.min(maxBytes, rules.maxBytes);
  const described = { name, ...(type === undefined || type === "" ? {} : { type }) };
  if (!isOfTwilio(account, url)) return { ...described, problem: "it isn't at Twilio" };
  try {
    const response = await follow(account, url, AbortSignal.any([signal, AbortSignal.timeout(withinMs)]));
    if (!response.ok || !response.body) return { ...described, problem: `Twilio answered ${response.status}` };
    const stored = await storeAttachment(attachmentsFolder(journal), nameOf(name, type), response.body, {
      ...rules,
      maxBytes: most,
    });
    return { id: stored.id, name: stored.name, mime: stored.mime, size: stored.size };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AttachmentTooLargeError)
      return { ...described, problem: `larger than ${most / 1024 / 1024} MiB` };
    const why =
      error instanceof AttachmentError
        ? error.message
        : `it couldn't be fetched (${error instanceof Error ? error.name : ""})`;
    return { ...described, problem: why };
  }
}

/** Twilio's answer leads to the place where the file is stored. */
async function follow(account: TwilioAccount, first: string, signal: AbortSignal): Promise<Response> {
  for (let url = first, hop = 0; ; hop++) {
    const headers = isOfTwilio(account, url) ? { Authorization: basicAuth(account) } : {};
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (next === null || hop === mostHops) return response;
    await response.body?.cancel();
    url = new URL(next, url).href;
    if (!url.startsWith("https:") && !isOfTwilio(account, url)) throw new AttachmentError("it isn't at a safe address");
  }
}

/** Whether an address is of Twilio's API: the public one, or the one of the settings. */
const isOfTwilio = ({ apiUrl }: TwilioAccount, url: string) =>
  [apiUrl, publicApi].some((api) => URL.parse(api)?.origin === URL.parse(url)?.origin);

/** A picture has the ending of its type. */
const nameOf = (name: string, type: string | undefined) => {
  const ending = /^\w{1,20}\/([a-z0-9]{1,10})$/.exec(type ?? "")?.[1];
  return ending === undefined ? name : `${name}.${ending === "jpeg" ? "jpg" : ending}`;
};

/**
 * Links to the files of messages, for Twilio to fetch: each names one message and one file, holds for some hours, and is signed.
 * The key is made from the auth token, so that a link outlives a restart. Pure: the time is an argument.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { attachmentIdPattern } from "../../protocol/files/attachment.ts";
import { messageIdPattern } from "../../protocol/agents/channel.ts";

/** As long as a message may wait at Twilio, by its default. */
const validMs = 4 * 3_600_000;

export type MediaLink = { message: string; file: string };

/** The path of a link, `/media/<message>/<file>/<until>/<signature>`. */
export function mediaPath(token: string, link: MediaLink, nowMs: number): string {
  const until = String(nowMs + validMs);
  return `/media/${link.message}/${link.file}/${until}/${signature(token, link, until)}`;
}

export type LinkParts = MediaLink & { until: string; signature: string };

export function isValidLink(token: string, { until, signature: given, ...link }: LinkParts, nowMs: number): boolean {
  if (!messageIdPattern.test(link.message) || !attachmentIdPattern.test(link.file)) return false;
  if (!/^\d{1,15}$/.test(until)) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(signature(token, link, until))];
  return a.length === b.length && timingSafeEqual(a, b) && nowMs <= Number(until);
}

function signature(token: string, { message, file }: MediaLink, until: string): string {
  const key = createHmac("sha256", token).update("links to files of messages").digest();
  return createHmac("sha256", key)
    .update(JSON.stringify([message, file, until]))
    .digest("base64url");
}

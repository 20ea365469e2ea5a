/** Mails by their headers alone, and whether the channel believes their sender. */
import { expect } from "vitest";
import { readHeaders } from "../../../channels/mail/base/headers.ts";
import { senderOf } from "../../../channels/mail/senders/sender.ts";
import type { MailTrust } from "../../../protocol/agents/channels/mail.ts";
import { authserv, ownAddress } from "./written-mail.ts";

/** A server's header with its results. */
export const ar = (text: string, id = authserv) => `Authentication-Results: ${id}; ${text}`;
/** The results of a mail that is signed by its sender's domain. */
export const pass = "dkim=pass header.d=garden.example";
export const received = `Received: from mail.garden.example by ${authserv}; Fri, 09 Jan 2026 10:00:00 +0000`;
export const mail = ["From: Ada <ada@garden.example>", `To: ${ownAddress}`, "Message-ID: <a@garden.example>"];

/** By settings that name the server. */
export const believed = (lines: string[], trust: MailTrust[] = ["dkim", "spf"], authservIds = [authserv]) =>
  isBelieved(lines, trust, authservIds);

/** By settings that name no server. */
export const plainlyBelieved = (lines: string[]) => isBelieved(lines, ["dkim", "spf"]);

async function isBelieved(lines: string[], trust: MailTrust[], authservIds?: string[]): Promise<boolean> {
  const headers = await readHeaders(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
  const { from } = headers;
  if (from === null) throw new Error("it names no sender");
  const sender = senderOf(headers, from, { address: ownAddress, trust, authservIds });
  expect(sender.userId).toBe(sender.isBelieved ? from.address : `unverified:${from.address}`);
  return sender.isBelieved;
}

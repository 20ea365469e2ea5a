/** Which mails are answered by nobody. */
import { expect, test } from "vitest";
import { readHeaders } from "../../../channels/mail/base/headers.ts";
import { whyUnanswered } from "../../../channels/mail/senders/unanswered.ts";
import { ownAddress } from "./written-mail.ts";

async function why(lines: string[], from = "From: Ada <ada@garden.example>"): Promise<string | null> {
  const headers = await readHeaders(Buffer.from(`${[from, `To: ${ownAddress}`, ...lines].join("\r\n")}\r\n\r\n`));
  return whyUnanswered(headers, ownAddress);
}

test.each([
  ["Auto-Submitted: auto-replied"],
  ["Auto-Submitted: auto-generated; owner-email=x"],
  ["auto-submitted: AUTO-NOTIFIED (vacation)"],
  ["Precedence: bulk"],
  ["Precedence: List"],
  ["Precedence: junk"],
  ["List-Id: Roses <roses.example>"],
  ["List-Unsubscribe: <mailto:x@roses.example>"],
  ["X-Auto-Response-Suppress: All"],
  ["X-Loop: x@roses.example"],
  ["X-Autoreply: yes"],
  ["Return-Path: <>"],
  ["Return-Path:"],
  ["Content-Type: multipart/report; report-type=delivery-status; boundary=x"],
  ["Message-ID: <cortex.r1@harbor.example>"],
])("a mail with %s is passed over", async (line) => {
  expect(await why([line])).not.toBeNull();
});

test.each([
  ["From: MAILER-DAEMON@garden.example"],
  ["From: Postmaster <postmaster@garden.example>"],
  [`From: Cortex <${ownAddress.toUpperCase()}>`],
  ["From: a@garden.example, b@garden.example"],
])("a mail %s is passed over", async (from) => {
  expect(await why([], from)).not.toBeNull();
});

test.each([
  [[]],
  [["Auto-Submitted: no", "Precedence: first-class", "X-Auto-Response-Suppress: none"]],
  [["Return-Path: <ada@garden.example>", "Content-Type: multipart/mixed; boundary=x"]],
  [["In-Reply-To: <cortex.r1@harbor.example>", "Message-ID: <cortex.r1@garden.example>"]],
])("a person's mail is read: %s", async (lines) => {
  expect(await why(lines)).toBeNull();
});

/** A mail as its sender's program and the receiving server make it: the server's headers on top. */
import { randomBytes } from "node:crypto";

/** The channel's address, and the server that receives for it. */
export const ownAddress = "cortex@harbor.example";
export const authserv = "mx.harbor.example";
export const ada = "ada@garden.example";

export type WrittenFile = { name: string; type: string; content: Buffer };

export type WrittenMail = {
  from?: string;
  to?: string;
  subject?: string;
  text?: string;
  html?: string;
  files?: WrittenFile[];
  messageId?: string;
  /** As in the header `Date`. */
  date?: string;
  /** Each in brackets. */
  references?: string[];
  /** Further headers, as lines. */
  headers?: string[];
  /** The header with the receiving server's word; null: none. Default: the mail is signed by its sender's domain. */
  checked?: string | null;
};

export const newMessageId = () => `<${randomBytes(8).toString("hex")}@garden.example>`;

/** The server's word that a mail is from a domain. */
export const signedBy = (domain: string) =>
  `Authentication-Results: ${authserv}; dkim=pass header.d=${domain}; spf=none`;

export function writtenMail(mail: WrittenMail): string {
  const { from = `Ada <${ada}>`, to = ownAddress, subject, text = "", html, files = [], references = [] } = mail;
  const { headers = [], messageId = newMessageId(), date = "Fri, 09 Jan 2026 10:00:00 +0000" } = mail;
  const domain = /@([^>]*)>?$/.exec(from)?.[1] ?? "";
  const { checked = signedBy(domain) } = mail;
  const lines = [
    ...(checked === null ? [] : [checked]),
    `Received: from mail.${domain} by ${authserv}; Fri, 09 Jan 2026 10:00:00 +0000`,
    ...headers,
    `From: ${from}`,
    `To: ${to}`,
    ...(subject === undefined ? [] : [`Subject: ${subject}`]),
    `Date: ${date}`,
    `Message-ID: ${messageId}`,
    ...(references.length === 0 ? [] : [`In-Reply-To: ${references.at(-1)}`, `References: ${references.join(" ")}`]),
    "MIME-Version: 1.0",
  ];
  const body = html === undefined ? part("text/plain; charset=utf-8", text) : alternative(text, html);
  const whole = files.length === 0 ? body : multipart("mixed", [body, ...files.map(fileOf)]);
  return `${lines.join("\r\n")}\r\n${whole}`;
}

const part = (type: string, text: string) =>
  `Content-Type: ${type}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text.replaceAll("\n", "\r\n")}\r\n`;

const alternative = (text: string, html: string) =>
  multipart("alternative", [
    ...(text === "" ? [] : [part("text/plain; charset=utf-8", text)]),
    part("text/html; charset=utf-8", html),
  ]);

function fileOf({ name, type, content }: WrittenFile): string {
  const lines = content.toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  return `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`;
}

function multipart(kind: string, parts: string[]): string {
  const boundary = `b-${randomBytes(8).toString("hex")}`;
  const body = parts.map((one) => `--${boundary}\r\n${one}`).join("");
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`;
}

/** A connection to the mailbox, and what its errors mean. Nothing that it logs by itself is kept: a password could stand there. */
import { ImapFlow, type ImapFlowError } from "imapflow";
import { messageOf } from "../../../files/errors/error-message.ts";
import { type MailServer, MailPasswordError } from "../base/account.ts";

/** In ms. */
const connectMs = 30_000;
const silenceMs = 300_000;
/** A server may end an IDLE after half an hour, and what sits between us much earlier. */
const idleMs = 240_000;

/** Codes of a refused login that may be well again, from RFC 5530. */
const passingCodes = ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"];

export function newClient({ host, port, user, password, security }: MailServer): ImapFlow {
  const client = new ImapFlow({
    host,
    port,
    secure: security === "tls",
    doSTARTTLS: security === "starttls",
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    maxIdleTime: idleMs,
  });
  // What it fails with is heard where it is asked for something: an event that nobody hears would end the program.
  client.on("error", () => {});
  return client;
}

/** The error in words. @returns MailPasswordError where the login was refused for good */
export function toMailboxError(error: unknown): Error {
  const { authenticationFailed, serverResponseCode = "", responseText } = error as Partial<ImapFlowError>;
  const text = responseText ?? messageOf(error);
  if (authenticationFailed !== true) return new Error(`the mailbox can't be read: ${text}`);
  if (passingCodes.includes(serverResponseCode)) return new Error(`the mailbox can't be read now: ${text}`);
  return new MailPasswordError(`channels.mail.imap: the server refuses the user or the password: ${text}`);
}

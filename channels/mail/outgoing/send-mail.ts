/**
 * Sending of a mail by SMTP, over a connection of its own. As long as its content wasn't asked for, it surely didn't arrive; what the
 * server answers says what became of it; where the connection ends in between, nobody knows.
 */
import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { messageOf } from "../../../files/errors/error-message.ts";
import { PermanentDeliveryError, RetryableDeliveryError } from "../../adapter/delivery-errors.ts";
import { type MailServer, MailPasswordError } from "../base/account.ts";

/** In ms. The dispatcher gives a mail a minute. */
const connectMs = 20_000;
const silenceMs = 45_000;

export type SentMail = { from: string; to: string; content: Buffer };

/** @throws a delivery error, MailPasswordError, or one that says that nobody knows */
export async function sendMail(server: MailServer, mail: SentMail, signal: AbortSignal): Promise<void> {
  /** Whether the server has begun to take the content. */
  let isUnderWay = false;
  const content = Readable.from(contentOf(mail.content, () => (isUnderWay = true)));
  const envelope = { from: mail.from, to: [mail.to], size: mail.content.length };
  try {
    await whenLoggedIn(server, signal, (connection, done) => connection.send(envelope, content, done));
  } catch (error) {
    throw toSendError(error, isUnderWay);
  }
}

/** Logs in, and sends nothing. @throws a delivery error, or MailPasswordError */
export async function checkSending(server: MailServer, signal: AbortSignal): Promise<void> {
  try {
    await whenLoggedIn(server, signal, (_connection, done) => done());
  } catch (error) {
    throw toSendError(error, false);
  }
}

type Done = (error?: Error | null) => void;

async function whenLoggedIn(
  { host, port, user, password, security }: MailServer,
  signal: AbortSignal,
  work: (connection: SMTPConnection, done: Done) => void,
): Promise<void> {
  const connection = new SMTPConnection({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    logger: false,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  connection.on("error", broken.reject);
  const giveUp = () => broken.reject(new Error("it was given up"));
  signal.addEventListener("abort", giveUp);
  const step = (begin: (done: Done) => void) =>
    Promise.race([
      new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve()))),
      broken.promise,
    ]);
  try {
    await step((done) => connection.connect(done));
    await step((done) => connection.login({ credentials: { user, pass: password } }, done));
    await step((done) => work(connection, done));
    connection.quit();
  } finally {
    signal.removeEventListener("abort", giveUp);
    connection.close();
  }
}

/** The content, once it is asked for. */
function* contentOf(content: Buffer, onBegin: () => void): Generator<Buffer> {
  onBegin();
  yield content;
}

/** Commands whose refusal is about this mail and no other. */
const aboutMail = ["MAIL FROM", "RCPT TO", "DATA"];

function toSendError(error: unknown, isUnderWay: boolean): Error {
  const { code, command = "", responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const text = `the mail server: ${messageOf(error)}`;
  const isFinal = responseCode !== undefined && responseCode >= 500;
  if (code === "EAUTH" && isFinal) return new MailPasswordError(`channels.mail.smtp: ${messageOf(error)}`);
  if (isFinal && aboutMail.includes(command)) return new PermanentDeliveryError(text);
  // Addresses, and sizes, that aren't even sent.
  if (command === "API" && code === "EENVELOPE") return new PermanentDeliveryError(text);
  if (code === "EMESSAGE" && responseCode === undefined && !isUnderWay) return new PermanentDeliveryError(text);
  if (responseCode !== undefined || !isUnderWay) return new RetryableDeliveryError(text);
  return new Error(`${text}: nobody knows whether it was taken`);
}

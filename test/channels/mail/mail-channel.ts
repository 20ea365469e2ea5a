/** The mail channel between a real IMAP server and one that plays SMTP. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { type Dovecot, mailPassword, mailUser, startDovecot } from "../../support/dovecot.ts";
import { ChannelSystem, outbound } from "../channel-system.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { ada, newMessageId, ownAddress, type WrittenMail, writtenMail } from "./written-mail.ts";

export const passwordFile = "mail-password";

export const mailSettings = (imapPort: number, smtpPort: number) => {
  const account = { host: "127.0.0.1", user: mailUser, password_file: passwordFile, tls: false };
  return {
    imap: { ...account, port: imapPort },
    smtp: { ...account, port: smtpPort },
    address: ownAddress,
  } satisfies ChannelSettings;
};

/** A channel that runs against them, with whatever a test starts beside it. */
export async function startMail(settings: ChannelSettings = {}, before: (imap: Dovecot) => void = () => {}) {
  const [imap, smtp] = [await startDovecot(), await PlayedSmtp.start()];
  before(imap);
  const used = { ...mailSettings(imap.port, smtp.port), ...settings };
  const system = await ChannelSystem.start({ mail: used });
  writeFileSync(join(system.journal, passwordFile), `${mailPassword}\n`, { mode: 0o600 });
  const start = async (env: Record<string, string> = {}) => {
    const program = system.start("mail", env);
    await program.isReady();
    return program;
  };
  const first = await start();
  /** Somebody writes. Returns the mail's Message-ID. */
  const write = (mail: WrittenMail) => {
    const { messageId = newMessageId() } = mail;
    imap.deliver(writtenMail({ ...mail, messageId }));
    return messageId;
  };
  return {
    imap,
    smtp,
    system,
    settings: used,
    first,
    start,
    write,
    /** Makes a server count anew: it has lost the numbers of its mails. */
    forgetNumbers(folder: string) {
      for (const name of readdirSync(folder))
        if (name.startsWith("dovecot")) rmSync(join(folder, name), { recursive: true });
    },
    /** Waits until a message with this text has come. */
    heard: (text: string) =>
      system.until(() => system.messages.find((one) => one.text === text), `it is heard: ${text}`),
    /** Waits until the first program's log has these words. */
    logged: (words: string) => system.until(() => first.log.includes(words), `it is logged: ${words}`),
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
      await imap[Symbol.asyncDispose]();
    },
  };
}

/** A message for Ada's room. @param thread the Message-ID of its first mail */
export const toAda = (id: string, text = `text of ${id}`, thread?: string) => ({
  ...outbound(id, "mail", text),
  channel: { type: "mail", channelId: ada, ...(thread !== undefined && { replyTo: thread.slice(1, -1) }) },
});

/** Mail as the common table of tests of channels plays it: Dovecot, and an SMTP server that keeps what it is given. */
import { mailPassword, startDovecot } from "../../support/dovecot.ts";
import type { Person, PlayedService } from "../table/played-service.ts";
import { mailSettings, passwordFile } from "./mail-channel.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { ada, writtenMail } from "./written-mail.ts";

const person = (address: string): Person => ({ userId: address, channelId: address });

export async function playMail(): Promise<PlayedService> {
  const [imap, smtp] = [await startDovecot(), await PlayedSmtp.start()];
  const sentTo = ({ channelId }: Person) => smtp.sent.filter(({ to }) => to.includes(channelId));
  const write: PlayedService["write"] = ({ userId }, text, file) => {
    const files = file ? [{ name: file.name, type: file.mime, content: file.bytes }] : [];
    const mail = writtenMail({ from: userId, text, files });
    imap.deliver(mail);
    return mail;
  };
  return {
    type: "mail",
    settings: mailSettings(imap.port, smtp.port),
    secrets: { [passwordFile]: `${mailPassword}\n` },
    people: {
      owner: person(ada),
      others: { stranger: person("bob@garden.example"), newcomer: person("cleo@harbor.example") },
    },
    write,
    repeat: (written) => imap.deliver(String(written)),
    texts: (who) => sentTo(who).map(({ mail }) => mail.html ?? ""),
    files: (who) =>
      sentTo(who).flatMap(({ mail }) =>
        mail.attachments.map(({ filename, content }) => ({
          name: filename ?? "",
          bytes: Buffer.from(content as ArrayBuffer),
        })),
      ),
    fail: (failure) => smtp.fail(failure === "limit" ? { to: 450 } : failure),
    // A mail that was held up on its way has the date of when it was written, and the number of when it came.
    overtake: ({ userId: from }, older, later) => {
      imap.deliver(writtenMail({ from, text: later, date: "Fri, 09 Jan 2026 10:00:00 +0000" }));
      const first = writtenMail({ from, text: older, date: "Thu, 08 Jan 2026 10:00:00 +0000" });
      imap.deliver(first);
      return first;
    },
    token: {
      file: passwordFile,
      refuse: () => (smtp.password = "another"),
      accept: () => (smtp.password = mailPassword),
      why: "channels.mail.smtp: ",
    },
    drop: () => imap.drop(),
    marked: "It is <strong>open</strong> at <code>pier 4</code>",
    decide: (who, question, decision) => {
      const asked = sentTo(who).findLast(({ mail }) => mail.html === question);
      imap.deliver(
        writtenMail({ from: who.userId, text: `${decision}\n\n> May I?`, references: [asked?.mail.messageId ?? ""] }),
      );
    },
    async [Symbol.asyncDispose]() {
      await smtp[Symbol.asyncDispose]();
      await imap[Symbol.asyncDispose]();
    },
  };
}

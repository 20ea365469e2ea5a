/** The mail channel over TLS: a password goes to nobody whose certificate isn't vouched for. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasDovecot, mailPassword, startDovecot } from "../../support/dovecot.ts";
import { makeCertificates } from "../../support/network/certificates.ts";
import { ChannelSystem } from "../channel-system.ts";
import { mailSettings, passwordFile } from "./mail-channel.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { writtenMail } from "./written-mail.ts";

test.skipIf(!hasDovecot)(
  "a mailbox is read over TLS, by a certificate that is vouched for (needs Dovecot 2.3)",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "mail-certificates-"));
    const certificates = makeCertificates(folder, ["IP:127.0.0.1"]);
    await using imap = await startDovecot(certificates);
    await using smtp = await PlayedSmtp.start();
    const { imap: plain, ...rest } = mailSettings(imap.port, smtp.port);
    await using system = await ChannelSystem.start({ mail: { ...rest, imap: { ...plain, tls: true } } });
    writeFileSync(join(system.journal, passwordFile), `${mailPassword}\n`, { mode: 0o600 });
    const distrustful = system.start("mail");
    await system.until(() => distrustful.log.includes("the mailbox can't be read: "), "it is refused");
    expect(distrustful.log).toContain("certificate");
    expect(await distrustful.stop()).toBe(0);
    await system.start("mail", { NODE_EXTRA_CA_CERTS: certificates.ca }).isReady();
    imap.deliver(writtenMail({ text: "hello" }));
    await system.until(() => system.messages.some(({ text }) => text === "hello"), "it is heard");
    rmSync(folder, { recursive: true });
  },
);

/** The set-up of mail asks both servers, and says what they say. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mailSetup } from "../../../channels/mail/setup.ts";
import { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { hasDovecot, mailPassword, startDovecot } from "../../support/dovecot.ts";
import { mailSettings, passwordFile } from "./mail-channel.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { writtenMail } from "./written-mail.ts";

test("the settings that it asks for are settings, and none is asked for twice", () => {
  const { questions } = mailSetup;
  const names = questions.map(({ setting }) => setting);
  expect(new Set(names).size).toBe(names.length);
  const fields = Object.keys(ChannelSettings.shape);
  expect(names.filter((name) => !fields.includes(name.split(".")[0] ?? ""))).toEqual([]);
  const ids = questions.find(({ setting }) => setting === "authserv_ids");
  expect(ids?.read?.("mx.a.example, mx.b.example")).toEqual(["mx.a.example", "mx.b.example"]);
});

describe.skipIf(!hasDovecot)("with Dovecot 2.3 (node tools/setup/ensure-dovecot.ts)", () => {
  test("both servers are asked; a wrong password, or a server that isn't there, is said without it", async () => {
    await using imap = await startDovecot();
    await using smtp = await PlayedSmtp.start();
    using journal = temporaryJournal();
    const file = (name: string, password: string) =>
      writeFileSync(join(journal.path, name), `${password}\n`, { mode: 0o600 });
    file(passwordFile, mailPassword);
    file("wrong", "another-password");
    imap.deliver(writtenMail({ text: "hello" }));
    const settings = mailSettings(imap.port, smtp.port);
    const check = (more: ChannelSettings = {}) => {
      const place = { journal: journal.path, settings: { ...settings, ...more }, env: {} };
      return mailSetup.check({ ...place, signal: AbortSignal.timeout(60_000) });
    };
    expect(await check()).toBe("cortex@harbor.example, mails in its INBOX: 1");
    expect(await check({ authserv_ids: [] })).toContain("nobody is believed");
    for (const kind of ["imap", "smtp"] as const) {
      const wrong = check({ [kind]: { ...settings[kind], password_file: "wrong" } });
      await expect(wrong).rejects.toThrow(`channels.mail.${kind}`);
      await expect(wrong).rejects.not.toThrow("another-password");
    }
    await smtp[Symbol.asyncDispose]();
    await expect(check()).rejects.toThrow("the mail server");
  });
});

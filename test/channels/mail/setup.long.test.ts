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
import { authserv, signedBy, writtenMail } from "./written-mail.ts";

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
    const settings = mailSettings(imap.port, smtp.port);
    const check = (more: ChannelSettings = {}) => {
      const place = { journal: journal.path, settings: { ...settings, ...more }, env: {} };
      return mailSetup.check({ ...place, signal: AbortSignal.timeout(60_000) });
    };
    const found = (mails: number) => `cortex@harbor.example, mails in its INBOX: ${mails}`;
    expect(await check()).toBe(`${found(0)}; the next mail shows whether senders are believed`);
    imap.deliver(writtenMail({ text: "hello" }));
    expect(await check()).toBe(`${found(1)}; the server that is believed: ${authserv}`);
    expect(await check({ authserv_ids: [authserv] })).toBe(found(1));
    expect(await check({ authserv_ids: [] })).toContain(
      "nobody is believed, since channels.mail.authserv_ids names no",
    );
    expect(await check({ trust: [] })).toContain("nobody is believed, since channels.mail.trust is empty");
    imap.deliver(writtenMail({ text: "hello", checked: null, headers: [signedBy("garden.example")] }));
    const unbelieved = await check();
    expect(unbelieved).toContain(`${found(2)}; nobody is believed, since no result of DKIM or SPF stands above`);
    expect(unbelieved).toContain(`the server that stands first in the newest: ${authserv}`);
    imap.deliver(writtenMail({ text: "hello", headers: [`X-Endless: ${"x ".repeat(200_000)}`] }));
    expect(await check()).toBe(`${found(3)}; the next mail shows whether senders are believed`);
    for (const kind of ["imap", "smtp"] as const) {
      const wrong = check({ [kind]: { ...settings[kind], password_file: "wrong" } });
      await expect(wrong).rejects.toThrow(`channels.mail.${kind}`);
      await expect(wrong).rejects.not.toThrow("another-password");
    }
    await smtp[Symbol.asyncDispose]();
    await expect(check()).rejects.toThrow("the mail server");
  });
});

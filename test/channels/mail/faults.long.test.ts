/** Mail by a mailbox that breaks off in the middle of an answer, and one whose password is changed while it is read. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { hasDovecot, mailPassword, mailUser } from "../../support/dovecot.ts";
import { noisyPng } from "../../support/files/sample-files.ts";
import { startTornProxy } from "../../support/network/torn-proxy.ts";
import { startBusyImap } from "./busy-imap.ts";
import { startMail } from "./mail-channel.ts";
import { ada } from "./written-mail.ts";

/** From the next start of the server on. */
const setPassword = (folder: string, password: string) =>
  writeFileSync(join(folder, "../users"), `${mailUser}:{PLAIN}${password}\n`);

describe.skipIf(!hasDovecot)("faults of mail (needs Dovecot 2.3: node tools/setup/ensure-dovecot.ts)", () => {
  test("a mail that breaks off in the middle of its text, or of its file, is taken whole and once", async () => {
    await using mail = await startMail();
    await mail.first.stop();
    await using proxy = await startTornProxy(mail.imap.port);
    const imap = { ...mail.settings.imap, port: proxy.port };
    mail.system.configure({ mail: { ...mail.settings, imap } });
    await writeOwners(mail.system.journal, [`mail:${ada}`]);
    await mail.start();
    const content = noisyPng(300);
    const id = createHash("sha256").update(content).digest("hex");
    // A hundred thousand bytes of text, and the file behind them.
    const text = Array.from({ length: 2000 }, (_, n) => `Line ${n} of what the keeper of the pier has written.`);
    for (const [index, bytes] of [20_000, 200_000].entries()) {
      proxy.cutAfter(bytes);
      mail.write({
        text: [`Mail ${index}`, ...text].join("\n"),
        files: [{ name: "pier.png", type: "image/png", content }],
      });
      const isIt = (one: { text: string }) => one.text.startsWith(`Mail ${index}\n`);
      const taken = await mail.system.until(() => mail.system.messages.find(isIt), `mail ${index} is taken`);
      expect(taken.text.split("\n")).toEqual([`Mail ${index}`, ...text]);
      expect(taken.attachments).toMatchObject([{ id, size: content.length }]);
      expect(proxy.cuts).toBe(index + 1);
    }
    mail.write({ text: "last" });
    await mail.heard("last");
    expect(mail.system.messages).toHaveLength(3);
  });

  test("a mailbox that refuses logins for now is asked again, and what comes meanwhile is taken", async () => {
    await using mail = await startMail();
    mail.write({ text: "before" });
    await mail.heard("before");
    await mail.imap.restart(async () => {
      await using busy = await startBusyImap(mail.imap.port);
      mail.write({ text: "meanwhile" });
      await mail.system.until(() => busy.refused > 1, "it is asked again");
    });
    await mail.heard("meanwhile");
    expect(mail.first.log).toContain("the mailbox can't be read now: Too many connections");
    expect(mail.system.messages.map(({ text }) => text)).toEqual(["before", "meanwhile"]);
  });

  test("a password that is changed while it runs ends it for good, and what comes meanwhile is taken once it is right", async () => {
    await using mail = await startMail();
    mail.write({ text: "before" });
    await mail.heard("before");
    await mail.imap.restart((folder) => setPassword(folder, "another"));
    expect(await mail.first.exited).toBe(125);
    expect(mail.first.log).toContain("channels.mail.imap: the server refuses the user or the password");
    expect(mail.first.log).not.toContain(mailPassword);
    mail.write({ text: "meanwhile" });
    await mail.imap.restart((folder) => setPassword(folder, mailPassword));
    await mail.start();
    await mail.heard("meanwhile");
    expect(mail.system.messages.map(({ text }) => text)).toEqual(["before", "meanwhile"]);
  });
});

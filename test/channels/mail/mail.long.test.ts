/** The mail channel against a real IMAP server, Dovecot, and an SMTP server that fails as it is told. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasDovecot, mailPassword } from "../../support/dovecot.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { passwordFile, startMail, toAda } from "./mail-channel.ts";
import { ada, newMessageId, ownAddress, signedBy } from "./written-mail.ts";

describe.skipIf(!hasDovecot)("mail (needs Dovecot 2.3: node tools/setup/ensure-dovecot.ts)", () => {
  test("a mail is a message of its sender, in the thread of its first mail", async () => {
    await using mail = await startMail({}, (imap) =>
      imap.deliver("From: a@b.example\r\nTo: x@y.example\r\n\r\nold\r\n"),
    );
    const root = mail.write({ subject: "Roses", text: "When do they\nbloom?" });
    const first = await mail.heard("Subject: Roses\n\nWhen do they\nbloom?");
    const follow = mail.write({
      subject: "Re: Roses",
      text: "And now?\n\nOn Fri, 9 Jan 2026 Cortex wrote:\n> In June.",
      references: [root, newMessageId()],
    });
    const second = await mail.heard("And now?");
    const channel = { type: "mail", channelId: ada, userId: ada, replyTo: root.slice(1, -1) };
    expect(first).toMatchObject({
      channel,
      metadata: { subject: "Roses", name: "Ada", message_id: root.slice(1, -1) },
    });
    expect(second).toMatchObject({ channel, metadata: { message_id: follow.slice(1, -1) } });
    expect(mail.system.messages).toHaveLength(2);
    expect(await mail.first.stop()).toBe(0);
    expect(mail.first.log).not.toContain(mailPassword);
  });

  test("an answer is a reply in the thread, in text and HTML, and marked as automatic", async () => {
    await using mail = await startMail();
    const root = mail.write({ subject: "Roses", text: "hello" });
    await mail.heard("hello");
    const second = mail.write({ subject: "Re: Roses", text: "hello?", references: [root] });
    await mail.heard("hello?");
    await mail.system.say(toAda("r1", "They **bloom** in June. <b>x</b>", root));
    expect(await mail.system.receipt("r1")).toEqual({ ok: true, external_id: "cortex.r1@harbor.example" });
    const [sent] = mail.smtp.sent;
    expect(sent).toMatchObject({ from: ownAddress, to: [ada] });
    expect(sent?.mail).toMatchObject({
      from: { address: ownAddress },
      to: [{ address: ada }],
      subject: "Re: Roses",
      messageId: "<cortex.r1@harbor.example>",
      inReplyTo: second,
      references: `${root} ${second}`,
    });
    expect(sent?.mail.text?.trim()).toBe("They **bloom** in June. <b>x</b>");
    expect(sent?.mail.html).toContain("<p>They <strong>bloom</strong> in June. &lt;b&gt;x&lt;/b&gt;</p>");
    expect(sent?.raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
  });

  test("a mail that answers none begins a thread with its first words as its subject", async () => {
    await using mail = await startMail();
    await mail.system.say(toAda("r1", "# Good *morning*\n\nIt rains."));
    await mail.system.receipt("r1");
    expect(mail.smtp.sent[0]?.mail).toMatchObject({ subject: "Good morning" });
    expect(mail.smtp.sent[0]?.mail.inReplyTo).toBeUndefined();
    expect(mail.smtp.sent[0]?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    const own = "<cortex.r1@harbor.example>";
    mail.write({ subject: "Re: Good morning", text: "thanks", references: [own] });
    expect((await mail.heard("thanks")).channel.replyTo).toBe("cortex.r1@harbor.example");
  });

  test("what the SMTP server says decides: it is tried again, it failed, or nobody knows", async () => {
    await using mail = await startMail();
    for (const failure of [{ to: 450 }, { mail: 451 }, { to: 421 }, { mail: 452 }, "closed"] as const)
      mail.smtp.fail(failure);
    await mail.system.say(toAda("later"));
    expect(await mail.system.receipt("later")).toMatchObject({ ok: false, error: expect.stringContaining("5 times") });
    mail.smtp.fail({ to: 450 });
    await mail.system.say(toAda("once"));
    expect(await mail.system.receipt("once")).toMatchObject({ ok: true });
    mail.smtp.fail({ to: 550 });
    await mail.system.say(toAda("never"));
    expect(await mail.system.receipt("never")).toMatchObject({ ok: false, error: expect.stringContaining("550") });
    mail.smtp.fail("broken");
    await mail.system.say(toAda("maybe"));
    expect(await mail.system.receipt("maybe")).toMatchObject({ ok: false, unknown: true });
    await mail.system.say(toAda("last"));
    await mail.system.receipt("last");
    expect(mail.smtp.sent.map(({ mail: { messageId } }) => messageId)).toEqual(
      ["once", "maybe", "last"].map((id) => `<cortex.${id}@harbor.example>`),
    );
  });

  test("killed with -9 while mails come, it takes each once, and none that it has taken before", async () => {
    await using mail = await startMail();
    let program = mail.first;
    const wanted: string[] = [];
    for (let n = 1; n <= 3; n++) {
      for (const part of ["a", "b", "c"]) {
        mail.write({ text: `${n}${part}` });
        wanted.push(`${n}${part}`);
      }
      await mail.system.until(() => mail.system.messages.length > (n - 1) * 3, "one of them");
      await program.kill();
      program = await mail.start();
    }
    mail.write({ text: "last" });
    await mail.heard("last");
    expect(mail.system.messages.map(({ text }) => text)).toEqual([...wanted, "last"]);
  });

  test("killed while a mail is on its way, it isn't sent again, and that is told", async () => {
    await using mail = await startMail();
    await mail.first.stop();
    using stop = new StopPoint();
    const program = await mail.start(stop.env);
    stop.set("delivered", 1);
    await mail.system.say(toAda("r1"));
    await mail.system.until(() => stop.isReached(), "it is sent");
    stop.clear();
    await program.kill();
    await mail.start();
    expect(await mail.system.receipt("r1")).toMatchObject({ ok: false, unknown: true });
    expect(mail.smtp.sent).toHaveLength(1);
  });

  test("a mail that lies there twice is one message; a server that counts anew has nothing taken twice", async () => {
    await using mail = await startMail();
    const messageId = mail.write({ text: "once" });
    await mail.heard("once");
    mail.write({ text: "once", messageId });
    mail.write({ text: "then" });
    await mail.heard("then");
    await mail.imap.restart((folder) => mail.forgetNumbers(folder));
    mail.write({ text: "anew" });
    await mail.heard("anew");
    await mail.logged("the mail server counts anew");
    await mail.first.kill();
    await mail.imap.restart((folder) => {
      mail.forgetNumbers(folder);
      mail.write({ text: "meanwhile" });
    });
    await mail.start();
    await mail.heard("meanwhile");
    expect(mail.system.messages.map(({ text }) => text)).toEqual(["once", "then", "anew", "meanwhile"]);
  });

  test("a connection that is ended is made anew, and while the bus is away no mail is lost", async () => {
    await using mail = await startMail();
    mail.imap.drop();
    mail.write({ text: "after the drop" });
    await mail.heard("after the drop");
    const agents = await mail.system.server.as("agents");
    const isBack = mail.system.server.killAndRestart(agents);
    mail.write({ text: "meanwhile" });
    await isBack;
    await mail.heard("meanwhile");
  });

  test("a wrong password of the mailbox ends it for good, and the program says so", async () => {
    await using mail = await startMail();
    await mail.first.stop();
    writeFileSync(join(mail.system.journal, passwordFile), "another-password\n");
    const refused = mail.system.start("mail");
    expect(await refused.exited).toBe(125);
    expect(refused.log).toContain("channels.mail.imap: the server refuses the user or the password");
    expect(refused.log).not.toContain("another-password");
  });

  test("a wrong password for sending ends it for good, and the answer goes out once it is right", async () => {
    await using mail = await startMail();
    await mail.first.stop();
    const { smtp } = mail.settings;
    const file = join(mail.system.journal, "smtp-password");
    writeFileSync(file, "another-password\n", { mode: 0o600 });
    mail.system.configure({ mail: { ...mail.settings, smtp: { ...smtp, password_file: "smtp-password" } } });
    const refused = await mail.start();
    await mail.system.say(toAda("r1"));
    expect(await refused.exited).toBe(125);
    expect(refused.log).toContain("channels.mail.smtp");
    expect(refused.log).not.toContain("another-password");
    writeFileSync(file, `${mailPassword}\n`);
    await mail.start();
    expect(await mail.system.receipt("r1")).toMatchObject({ ok: true });
  });

  test("plain text to another machine is refused before anything is sent", async () => {
    await using mail = await startMail();
    const { imap } = mail.settings;
    mail.system.configure({ mail: { ...mail.settings, imap: { ...imap, host: "mail.example.org" } } });
    await mail.first.stop();
    const refused = mail.system.start("mail");
    expect(await refused.exited).toBe(125);
    expect(refused.log).toContain("without encryption a password goes to this machine alone");
  });

  test("a mail from a machine is passed over, and what a person writes behind it is taken", async () => {
    await using mail = await startMail();
    mail.write({ text: "out of office", headers: ["Auto-Submitted: auto-replied"] });
    mail.write({ text: "a list", headers: ["List-Id: <roses.example>"] });
    mail.write({ text: "ours", from: ownAddress, checked: signedBy("harbor.example") });
    mail.write({ text: "a person" });
    await mail.heard("a person");
    expect(mail.system.messages).toHaveLength(1);
  });

  test("one address gets no more mails in an hour than the setting says", async () => {
    await using mail = await startMail({ answers_per_hour: 2 });
    for (const id of ["r1", "r2", "r3"]) await mail.system.say(toAda(id));
    expect(await mail.system.receipt("r3")).toMatchObject({
      ok: false,
      error: expect.stringContaining("answers_per_hour"),
    });
    expect(mail.smtp.sent).toHaveLength(2);
  });
});

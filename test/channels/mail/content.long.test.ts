/** The content of mails, and what becomes of those of people who aren't known, against a real IMAP server. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { hasDovecot } from "../../support/dovecot.ts";
import { png } from "../../support/files/sample-files.ts";
import { startMail } from "./mail-channel.ts";
import { ada, authserv, ownAddress, signedBy } from "./written-mail.ts";

const head = [
  signedBy("garden.example"),
  `From: ${ada}`,
  `To: ${ownAddress}`,
  "In-Reply-To: <before@garden.example>",
  "MIME-Version: 1.0",
];
const raw = (lines: (string | Buffer)[]) =>
  Buffer.concat([...head, ...lines].map((line) => Buffer.concat([Buffer.from(line), Buffer.from("\r\n")])));

describe.skipIf(!hasDovecot)("content of mails (needs Dovecot 2.3: node tools/setup/ensure-dovecot.ts)", () => {
  test("text is read in any character set and encoding, and HTML where there is nothing else", async () => {
    await using mail = await startMail();
    mail.imap.deliver(
      raw([
        "Content-Type: text/plain; charset=iso-8859-1",
        "Content-Transfer-Encoding: quoted-printable",
        "",
        "Gr=FC=DFe aus dem G=\r\narten",
      ]),
    );
    await mail.heard("Grüße aus dem Garten");
    const wrapped = Buffer.from("a very long line \r\nthat goes on\r\n").toString("base64");
    const flowed = ["Content-Type: text/plain; charset=utf-8; format=flowed", "Content-Transfer-Encoding: base64"];
    mail.imap.deliver(raw([...flowed, "", wrapped]));
    await mail.heard("a very long line that goes on");
    mail.write({
      references: ["<x@garden.example>"],
      html: "<style>p{}</style><p>See <a href='https://roses.example/a'>the roses</a> &amp; <b>tell</b></p><script>x</script>",
    });
    await mail.heard("See the roses (https://roses.example/a) & tell");
    mail.write({ references: ["<x@garden.example>"], text: "plain", html: "<p>marked</p>" });
    await mail.heard("plain");
    mail.write({ subject: "Only a subject" });
    await mail.heard("Only a subject");
    mail.write({});
    mail.imap.deliver(raw(["Content-Type: text/plain", "", "x".repeat(300_000)]));
    const long = await mail.system.until(
      () => mail.system.messages.find(({ text }) => text.length > 1000),
      "the long one",
    );
    expect(long.text).toHaveLength(200_000 + "\n[The mail is longer: the rest isn't read here.]".length);
    expect(mail.system.messages).toHaveLength(6);
  });

  test("files of an owner are stored, whatever they are called; one that is too large isn't fetched", async () => {
    await using mail = await startMail();
    await writeOwners(mail.system.journal, [`mail:${ada}`]);
    const huge = Buffer.alloc(26 * 1024 * 1024 + 1000, "a\n");
    mail.write({
      text: "look",
      files: [
        { name: "../../cortex.json", type: "application/json", content: Buffer.from('{"a":1}') },
        { name: "rose.png", type: "image/png", content: png() },
        { name: "log.txt", type: "text/plain; format=flowed", content: Buffer.from("Gü \r\nx\n") },
        { name: "huge.txt", type: "text/plain", content: huge },
      ],
    });
    const { attachments = [] } = await mail.heard("look");
    const stored = attachments.map(({ id = "", name, mime, problem }) => {
      const path = join(mail.system.journal, "attachments", contentPath(id));
      return { name, mime, problem, content: id === "" ? undefined : readFileSync(path) };
    });
    expect(stored).toMatchObject([
      { name: "cortex.json", mime: "application/json", content: Buffer.from('{"a":1}') },
      { name: "rose.png", mime: "image/png", content: png() },
      { name: "log.txt", mime: "text/plain", content: Buffer.from("Gü \r\nx\n") },
      { name: "huge.txt", problem: "larger than 25 MiB" },
    ]);
  });

  test("whoever isn't believed has another id and threads of their own, whatever the settings say, and no file is fetched", async () => {
    await using mail = await startMail({ allow: [ada] });
    await writeOwners(mail.system.journal, [`mail:${ada}`, `mail:unverified:${ada}`]);
    mail.write({ text: "forged", checked: null });
    mail.write({ text: "forged", headers: [signedBy("garden.example")], checked: signedBy("evil.example") });
    const root = mail.write({ text: "it is me" });
    const own = await mail.heard("it is me");
    expect(own.channel).toEqual({ type: "mail", channelId: ada, userId: ada, replyTo: root.slice(1, -1) });
    expect(mail.system.messages).toHaveLength(1);
    const { allow: _allow, ...open } = mail.settings;
    mail.system.configure({ mail: open });
    await mail.first.stop();
    await mail.start();
    mail.write({
      text: "forged again",
      checked: null,
      references: [root],
      files: [{ name: "a.txt", type: "text/plain", content: Buffer.from("a") }],
    });
    const forged = await mail.heard("forged again");
    expect(forged.channel).toMatchObject({ channelId: ada, userId: `unverified:${ada}` });
    expect(forged.channel.replyTo).toMatch(/^[0-9a-f]{64}$/);
    expect(forged.attachments).toMatchObject([
      { name: "a.txt", problem: "files of people whom I don't know aren't stored" },
    ]);
    expect(existsSync(join(mail.system.journal, "attachments"))).toBe(false);
  });

  test("without a trusted server nobody is believed, and the log says what to set", async () => {
    await using mail = await startMail({ authserv_ids: [] });
    mail.write({ text: "hello" });
    expect((await mail.heard("hello")).channel.userId).toBe(`unverified:${ada}`);
    await mail.logged("channels.mail.authserv_ids names no server");
    expect(mail.first.log).toContain('"first":"mx.harbor.example"');
  });

  test("a server that puts its results below its Received is named by the log, and believed once the settings name it", async () => {
    const below = { checked: null, headers: [signedBy("garden.example")] };
    await using plain = await startMail();
    plain.write({ text: "hello", ...below });
    expect((await plain.heard("hello")).channel.userId).toBe(`unverified:${ada}`);
    await plain.logged("no result of DKIM or SPF stands above the first Received");
    expect(plain.first.log).toContain('"first":"mx.harbor.example"');
    await using named = await startMail({ authserv_ids: [authserv] });
    named.write({ text: "hello", ...below });
    expect((await named.heard("hello")).channel.userId).toBe(ada);
  });

  test("a mail that can't be read is put away at the third failure, and the next one is taken", async () => {
    await using mail = await startMail();
    mail.write({ text: "endless", headers: [`X-Endless: ${"x ".repeat(200_000)}`] });
    mail.write({ text: "next" });
    await mail.heard("next");
    const [item, ...more] = listQuarantine(mail.system.journal);
    expect(more).toEqual([]);
    expect(item?.record).toMatchObject({ store: "mail", failures: 3 });
    await mail.logged("a mail isn't taken: it was put away");
  });

  test("a mail that is stored is marked as read", async () => {
    await using mail = await startMail();
    mail.write({ text: "hello" });
    await mail.heard("hello");
    const isSeen = () => readdirSync(join(mail.imap.folder, "cur")).some((name) => /:2,.*S/.test(name));
    await mail.system.until(isSeen, "it is marked");
  });
});

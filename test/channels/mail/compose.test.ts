/** Mails as they go out. */
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { attachmentsFolder, attachmentRules } from "../../../journal/attachments/take-attachments.ts";
import { writeMailThread } from "../../../journal/channels/mail-threads.ts";
import { askedIn, ownMessageId } from "../../../channels/mail/base/own-message-id.ts";
import { answerInWords } from "../../../channels/mail/base/said-answer.ts";
import { composeMail, splitMail } from "../../../channels/mail/outgoing/compose.ts";
import { markdownHtml } from "../../../channels/mail/outgoing/markdown-html.ts";
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { ada, ownAddress } from "./written-mail.ts";

const message = (more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: "r1",
  text: "hello",
  channel: { type: "mail", channelId: ada },
  ...more,
});
const inThread = (replyTo: string) => message({ channel: { type: "mail", channelId: ada, replyTo } });

async function composed(journal: string, said: OutboundMessage) {
  const { content } = await composeMail(journal, ownAddress, ada, said);
  return { raw: content.toString(), mail: await PostalMime.parse(content) };
}

test("the same message is the same mail, and each of its parts one of its own", async () => {
  using journal = temporaryJournal();
  const ids = [0, 0, 1].map(
    async (mail) => (await composeMail(journal.path, ownAddress, ada, { ...message(), mail })).messageId,
  );
  const [first, again, second] = await Promise.all(ids);
  expect(first).toBe("cortex.r1@harbor.example");
  expect(again).toBe(first);
  expect(second).toBe("cortex.r1.1@harbor.example");
});

test("an answer into a thread that was forgotten still refers to its first mail", async () => {
  using journal = temporaryJournal();
  const { mail } = await composed(journal.path, inThread("root@garden.example"));
  expect(mail).toMatchObject({
    inReplyTo: "<root@garden.example>",
    references: "<root@garden.example>",
    subject: "Re:",
  });
});

test("a subject and Message-IDs from outside can't add a header or a receiver", async () => {
  using journal = temporaryJournal();
  const thread = {
    subject: "Roses\r\nBcc: mallory@evil.example",
    messageIds: ["root@garden.example", "x\r\nBcc: m@evil.example"],
  };
  await writeMailThread(journal.path, ada, "root@garden.example", thread);
  const { raw, mail } = await composed(journal.path, inThread("root@garden.example"));
  expect(raw.split("\r\n\r\n")[0]).not.toMatch(/^bcc:/im);
  expect(mail.bcc).toBeUndefined();
  expect(mail.to).toMatchObject([{ address: ada }]);
});

test("a long thread keeps its first mail and its last ones", async () => {
  using journal = temporaryJournal();
  const messageIds = Array.from({ length: 200 }, (_, n) => `m${n}@garden.example`);
  await writeMailThread(journal.path, ada, "m0@garden.example", { subject: "Re: Roses", messageIds });
  const { mail } = await composed(journal.path, inThread("m0@garden.example"));
  const references = mail.references?.split(/\s+/) ?? [];
  expect(references).toHaveLength(30);
  expect([references[0], references.at(-1)]).toEqual(["<m0@garden.example>", "<m199@garden.example>"]);
  expect(mail).toMatchObject({ subject: "Re: Roses", inReplyTo: "<m199@garden.example>" });
});

test("in an answer to a question's mail the word alone will do, and nowhere else", () => {
  const asked = askedIn(ownMessageId("permission-c0ffee00c0ffee00", 0, ownAddress), ownAddress);
  expect(asked).toBe("c0ffee00c0ffee00");
  expect(answerInWords("Allow.\n\nSent from my phone", asked)).toBe("allow c0ffee00c0ffee00");
  for (const text of ["deny c0ffee00", "Deny C0FFEE00.", "deny c0ffee00c0ffee00"])
    expect(answerInWords(text, asked)).toBe("deny c0ffee00c0ffee00");
  // Whoever names another question doesn't mean this one.
  for (const text of ["allow feedface", "allow c0ffee00feedface", "allow everything"])
    expect(answerInWords(text, asked)).toBeNull();
  for (const text of ["allow me a question", "yes", "deny c0ffee00 since it is late", "\nallow"])
    expect(answerInWords(text, asked)).toBeNull();
  expect(answerInWords("allow", null)).toBeNull();
  expect(askedIn("cortex.permission-c0ffee00@evil.example", ownAddress)).toBeNull();
  expect(askedIn("cortex.r1@harbor.example", ownAddress)).toBeNull();
});

test("files that are too large together go in several mails, the text with the first", async () => {
  const file = (name: string, megabytes: number) => ({ id: "0".repeat(64), name, size: megabytes * 1_000_000 });
  const files = [file("a", 9), file("b", 8), file("c", 9), file("d", 1)];
  const said = message({ attachments: files, metadata: { x: 1 } });
  const parts = splitMail(said);
  expect(splitMail(said)).toEqual(parts);
  expect(
    parts.map(({ text, metadata, attachments = [] }) => [text, metadata, attachments.map(({ name }) => name)]),
  ).toEqual([
    ["hello", { x: 1 }, ["a", "b"]],
    ["", undefined, ["c", "d"]],
  ]);
  expect(splitMail(message())).toEqual([message()]);
});

test("a stored file goes with its name and kind; one that isn't there is refused", async () => {
  using journal = temporaryJournal();
  const content = Buffer.from("Day,Height\nMon,2\n");
  const { id, name, mime, size } = await storeAttachment(
    attachmentsFolder(journal.path),
    "tides.csv",
    [content],
    attachmentRules({}),
  );
  const { mail } = await composed(journal.path, message({ attachments: [{ id, name, mime, size }] }));
  expect(mail.attachments).toMatchObject([{ filename: "tides.csv", mimeType: mime, disposition: "attachment" }]);
  expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer).toString()).toBe(content.toString());
  const gone = message({ attachments: [{ id: "0".repeat(64), name: "gone.csv" }] });
  await expect(composed(journal.path, gone)).rejects.toThrow("the file gone.csv isn't stored any more");
  await expect(composed(journal.path, message({ text: " " }))).rejects.toThrow("there is no text, and no file");
});

test("Markdown becomes simple HTML, and everything else in it text", () => {
  expect(markdownHtml("# A\n\n- *b*\n- `c`\n\n[d](https://d.example)")).toContain(
    '<h1>A</h1>\n<ul>\n<li><em>b</em></li>\n<li><code>c</code></li>\n</ul>\n<p><a href="https://d.example">d</a></p>',
  );
  const hostile =
    "a <script>x</script> <img src=x onerror=y> ![p](https://evil.example/p.png) [q](javascript:x) <b onclick=z>\n\n<script>\ny";
  const html = markdownHtml(hostile);
  expect(html).not.toMatch(/<(?:script|img|b)\b/i);
  expect(html).not.toContain('"javascript:');
  expect(html).toContain('<a href="https://evil.example/p.png">p</a>');
  for (const text of ["> ".repeat(5000), "*".repeat(20_000), "[".repeat(20_000), "x".repeat(200_000)])
    expect(markdownHtml(text)).toContain("<body>");
});

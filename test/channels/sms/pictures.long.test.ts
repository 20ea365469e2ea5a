/** The pictures of messages, both ways. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { png } from "../../support/files/sample-files.ts";
import { accountSid, publicUrl } from "./played-twilio.ts";
import { ada, startNumber, toAda } from "./sms-number.ts";

const empty = `<?xml version="1.0" encoding="UTF-8"?><Response/>`;

test("pictures of a message are fetched from Twilio with its token, and from nowhere else", async () => {
  await using number = await startNumber({ allow: [ada] });
  const { twilio, system } = number;
  const media = { content: png(), type: "image/png" };
  const elsewhere = "http://127.0.0.1:9/2010-04-01/Media/ME1";
  await twilio.write("look", {
    media: [
      { url: twilio.store(media), type: "image/png" },
      { url: elsewhere, type: "image/png" },
      { url: `${twilio.url}/2010-04-01/Accounts/${accountSid}/Messages/MM1/Media/ME9`, type: "image/gif" },
    ],
  });
  await system.until(() => system.messages.length === 1, "the message");
  const [shown, ...others] = system.messages[0]?.attachments ?? [];
  expect(shown).toMatchObject({ name: "media-1.png", mime: "image/png", size: png().length });
  const stored = readFileSync(join(system.journal, "attachments", contentPath(shown?.id ?? "")));
  expect(stored).toEqual(png());
  expect(others).toEqual([
    { name: "media-2", type: "image/png", problem: "it isn't at Twilio" },
    { name: "media-3", type: "image/gif", problem: "Twilio answered 404" },
  ]);
  // The place where a file is stored isn't Twilio's API: in the real service another host.
  expect(twilio.calls.filter(({ path }) => path.includes("/Media/")).every(({ authorization }) => authorization)).toBe(
    true,
  );
});

test("a stranger's file isn't fetched, and whoever isn't allowed is met with silence", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const url = twilio.store({ content: png(), type: "image/png" });
  await twilio.write("look", { media: [{ url, type: "image/png" }] });
  await system.until(() => system.messages.length === 1, "the message");
  expect(system.messages[0]?.attachments).toEqual([
    { name: "media-1", type: "image/png", problem: "files of people whom I don't know aren't stored" },
  ]);
  await number.first.stop();
  const settings = JSON.parse(readFileSync(join(system.journal, "cortex.json"), "utf8"));
  settings.channels.sms.allow = ["+491700000099"];
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify(settings));
  await number.start();
  expect(await twilio.write("let me in")).toMatchObject({ status: 200, body: empty });
  await writeOwners(system.journal, [`sms:${ada}`]);
  await twilio.write("I was paired");
  await system.until(() => system.messages.length === 2, "who was paired");
  expect(system.messages[1]?.text).toBe("I was paired");
  expect(twilio.calls.filter(({ path }) => path.includes("/Media/"))).toEqual([]);
});

test("a picture goes out by a link that is signed and names it alone; another file is named in words", async () => {
  await using number = await startNumber({ allow: [ada] });
  const { twilio, system } = number;
  await twilio.write("mine", {
    media: [{ url: twilio.store({ content: png(), type: "image/png" }), type: "image/png" }],
  });
  await system.until(() => system.messages.length === 1, "the message");
  const [picture] = system.messages[0]?.attachments ?? [];
  const notes = { name: "notes.md", mime: "text/markdown", size: 8, id: "0".repeat(64) };
  await system.say({ ...toAda("both", "Here."), attachments: [picture ?? {}, notes] });
  expect(await system.receipt("both")).toMatchObject({ ok: true });
  expect(twilio.texts).toEqual(["Here.\n[file notes.md, text/markdown, 8 bytes]", ""]);
  const link = twilio.sent[1]?.mediaUrl ?? "";
  expect(link).toContain(`${publicUrl}/media/both/${picture?.id}/`);
  const response = await fetch(twilio.behind(link));
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(Buffer.from(await response.arrayBuffer())).toEqual(png());
  expect((await fetch(twilio.behind(link), { method: "HEAD" })).status).toBe(200);
  await system.say({ ...toAda("gone", ""), attachments: [{ ...picture, id: "1".repeat(64) }] });
  expect((await system.receipt("gone")).error).toContain("isn't stored any more");
  const parts = link.split("/");
  const changed = (index: number, value: string) => parts.with(index, value).join("/");
  const others = [changed(-4, "other"), changed(-3, "0".repeat(64)), changed(-2, "9999999999999"), changed(-1, "x")];
  for (const url of others) expect((await fetch(twilio.behind(url))).status).toBe(404);
});

/** The channel `sms` against a server that plays Twilio. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { readLateFailures } from "../../../journal/channels/late-failures.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { png } from "../../support/files/sample-files.ts";
import { accountSid, authToken, ownNumber, publicUrl, signatureOf } from "./played-twilio.ts";
import { ada, startNumber, toAda } from "./sms-number.ts";

const empty = `<?xml version="1.0" encoding="UTF-8"?><Response/>`;

test("a message comes under Twilio's id, once, and is answered when it is stored", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const first = await twilio.write("hello + 1 & more\nline");
  expect(first).toMatchObject({ status: 200, body: empty });
  expect(first.headers.get("content-type")).toContain("text/xml");
  await twilio.write("hello + 1 & more\nline", { sid: first.sid });
  await twilio.write("last");
  await system.until(() => system.messages.length === 2, "both");
  expect(system.messages).toMatchObject([
    {
      id: first.sid,
      text: "hello + 1 & more\nline",
      channel: { type: "sms", channelId: ada, userId: ada },
      metadata: { to: ownNumber },
    },
    { text: "last" },
  ]);
  expect(await number.first.stop()).toBe(0);
});

test("what isn't signed by the account, for this address, is refused", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const form = {
    MessageSid: twilio.newSid(),
    AccountSid: accountSid,
    From: ada,
    To: ownNumber,
    Body: "hi",
    NumMedia: "0",
  };
  const refused = async (url: string, fields: Record<string, string>, signature: string) =>
    (await twilio.post(url, fields, signature)).status;
  expect(await refused(publicUrl, form, "")).toBe(403);
  expect(await refused(publicUrl, form, signatureOf(publicUrl, form, "another-token"))).toBe(403);
  expect(await refused(publicUrl, form, signatureOf("https://elsewhere.example.com", form))).toBe(403);
  expect(await refused(publicUrl, { ...form, Body: "changed" }, signatureOf(publicUrl, form))).toBe(403);
  expect(await refused(`${publicUrl}/status/a`, form, signatureOf(publicUrl, form))).toBe(403);
  const other = { ...form, AccountSid: `AC${"1".repeat(32)}` };
  expect(await refused(publicUrl, other, signatureOf(publicUrl, other))).toBe(403);
  const broken = { ...form, MessageSid: "../x" };
  expect(await refused(publicUrl, broken, signatureOf(publicUrl, broken))).toBe(400);
  const large = { ...form, Body: "x".repeat(70_000) };
  expect(await refused(publicUrl, large, signatureOf(publicUrl, large))).toBe(413);
  const slashed = { ...form, Body: "with a slash" };
  expect(await refused(publicUrl, slashed, signatureOf(`${publicUrl}/`, slashed))).toBe(200);
  await system.until(() => system.messages.length > 0, "the last");
  expect(system.messages.map(({ text }) => text)).toEqual(["with a slash"]);
  expect(number.first.log).not.toContain(authToken);
});

test("while the bus is away Twilio is told to try again, and the message comes then", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  await twilio.write("before");
  const agents = await system.server.as("agents");
  const isBack = system.server.killAndRestart(agents);
  const sid = twilio.newSid();
  const answers = [await twilio.write("meanwhile", { sid })];
  while (answers.at(-1)?.status !== 200) answers.push(await twilio.write("meanwhile", { sid }));
  await isBack;
  for (const { status, headers } of answers.slice(0, -1)) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).not.toBeNull();
  }
  await system.until(() => system.messages.length === 2, "it came");
  expect(system.messages[1]).toMatchObject({ id: sid, text: "meanwhile" });
});

test("STOP ends what goes out to a number, over a restart, until START; neither is a message", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  expect(await twilio.write(" stop \n")).toMatchObject({ status: 200, body: empty });
  await system.say(toAda("one"));
  expect(await system.receipt("one")).toEqual({
    ok: false,
    error: `${ada} has asked for no more messages (STOP): nothing goes out until it sends START`,
  });
  await number.first.kill();
  await number.start();
  await system.say(toAda("two"));
  expect(await system.receipt("two")).toMatchObject({ ok: false });
  await system.say({ ...toAda("other"), channel: { type: "sms", channelId: "+491700000018" } });
  expect(await system.receipt("other")).toMatchObject({ ok: true });
  expect(await twilio.write("yes")).toMatchObject({ status: 200, body: empty });
  await system.say(toAda("three"));
  expect(await system.receipt("three")).toMatchObject({ ok: true });
  expect(twilio.texts).toEqual(["text of other", "text of three"]);
  // To a question of the agent's, once nothing is stopped.
  await twilio.write("Yes");
  await twilio.write("Stop the heating at noon");
  await system.until(() => system.messages.length === 2, "both");
  expect(system.messages.map(({ text }) => text)).toEqual(["Yes", "Stop the heating at noon"]);
});

test("HELP is answered by a fixed text, unless Twilio has answered it", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const { body } = await twilio.write("help");
  expect(body).toMatch(/<Response><Message>An assistant answers here.*STOP.*START.*<\/Message><\/Response>$/);
  expect((await twilio.write("INFO", { more: { OptOutType: "HELP" } })).body).toBe(empty);
  await twilio.write("help me");
  await system.until(() => system.messages.length === 1, "what is no such word");
  expect(system.messages[0]?.text).toBe("help me");
});

test("Twilio's word that a number is unsubscribed is for good, and noted", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const unsubscribed = "Attempt to send to unsubscribed recipient";
  twilio.fail({ status: 400, code: 21610, message: unsubscribed });
  await system.say(toAda("one"));
  expect(await system.receipt("one")).toEqual({ ok: false, error: `Twilio: 400 21610 ${unsubscribed}` });
  await system.say(toAda("two"));
  expect((await system.receipt("two")).error).toContain("STOP");
  expect(twilio.calls.filter(({ path }) => path.endsWith("/Messages.json"))).toHaveLength(1);
});

test("an answer is plain text in parts that Twilio takes, each once, with its ids as the receipt", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const lines = Array.from({ length: 80 }, (_, n) => `- **Line** ${n} of the [log](https://example.com/${n})`);
  await system.say(toAda("long", `# Log\n\n${lines.join("\n")}`));
  const receipt = await system.receipt("long");
  expect(receipt).toEqual({ ok: true, external_id: twilio.sent.map(({ sid }) => sid).join(",") });
  expect(twilio.texts.length).toBeGreaterThan(1);
  expect(twilio.texts.every((text) => text.length <= 1600)).toBe(true);
  const plain = lines.map((_, n) => `- Line ${n} of the log (https://example.com/${n})`);
  expect(twilio.texts.join("\n")).toBe(["Log", "", ...plain].join("\n"));
  expect(twilio.sent[0]).toMatchObject({ to: ada, from: ownNumber, statusUrl: `${publicUrl}/status/long` });
});

test("a question is shown as it stands, without its Markdown taken", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const text = 'May I call bash?\n{"command": "rm *a* `b`"}\nAnswer: allow 5f0c8d0e, or deny 5f0c8d0e';
  const metadata = { permission: { token: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f", text, always: false } };
  await system.say({ ...toAda("asked", text), metadata });
  await system.receipt("asked");
  expect(twilio.texts).toEqual([text]);
});

test("a refusal is for good, a limit is waited out as asked, a broken connection and half an answer are unknown", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  await system.say({ ...toAda("nowhere"), channel: { type: "sms", channelId: "+15005550001" } });
  expect((await system.receipt("nowhere")).error).toBe("Twilio: 400 21211 Invalid 'To' Phone Number: +15005550001");
  await system.say({ ...toAda("nobody"), channel: { type: "sms", channelId: "main" } });
  expect((await system.receipt("nobody")).error).toBe('"main" isn\'t a phone number');
  twilio.fail({ status: 429, code: 20429, message: "Too Many Requests", headers: { "Retry-After": "2" } });
  await system.say(toAda("patient"));
  expect(await system.receipt("patient")).toMatchObject({ ok: true });
  twilio.fail({ status: 429, code: 20429, message: "Too Many Requests", headers: { "Retry-After": "900" } });
  await system.say(toAda("later"));
  expect((await system.receipt("later")).error).toContain("asks to wait for 900 s");
  for (const [id, failure] of [
    ["reset", "reset"],
    ["half", "half"],
    ["broken", { status: 500, code: 20500, message: "Internal Server Error" }],
    ["away", { status: 503, code: 20503, message: "Service Unavailable" }],
  ] as const) {
    twilio.fail(failure);
    await system.say(toAda(id));
    expect([id, await system.receipt(id)]).toEqual([id, expect.objectContaining({ ok: false, unknown: true })]);
  }
  await system.say(toAda("blank", " \n "));
  expect(await system.receipt("blank")).toMatchObject({ ok: false });
  // Each that may have arrived went out once.
  expect(twilio.texts).toEqual(["text of patient", "text of reset", "text of half"]);
  expect(number.first.log).not.toContain(authToken);
  expect(number.first.log).not.toContain(Buffer.from(`${accountSid}:${authToken}`).toString("base64"));
});

test("a token that is refused ends it for good, at the start and later; the message goes out once it is right", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  twilio.token = "another";
  await system.say(toAda("kept"));
  expect(await number.first.exited).toBe(125);
  const second = system.start("sms");
  expect(await second.exited).toBe(125);
  expect(second.log).toContain("account_sid and auth_token aren't taken");
  expect(second.log).not.toContain(authToken);
  twilio.token = authToken;
  await number.start();
  expect(await system.receipt("kept")).toMatchObject({ ok: true });
  expect(twilio.texts).toEqual(["text of kept"]);
});

test("settings that are incomplete end it for good, with what is missing", async () => {
  await using number = await startNumber();
  const { system } = number;
  await number.first.stop();
  system.configure({ sms: { account_sid: accountSid } });
  const program = system.start("sms");
  expect(await program.exited).toBe(125);
  expect(program.log).toContain("channels.sms: expected account_sid, from and public_url");
});

test("a message that Twilio had accepted and that didn't arrive is noted and logged, once", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  for (const id of ["fine", "lost"]) await system.say(toAda(id));
  await system.receipt("lost");
  const [fine, lost] = twilio.sent;
  if (!fine || !lost) throw new Error("nothing was sent");
  expect(await twilio.report(fine, "delivered")).toBe(204);
  for (const status of ["sent", "undelivered", "undelivered"])
    expect(await twilio.report(lost, status, 30003)).toBe(204);
  const error = "Twilio: undelivered 30003, https://www.twilio.com/docs/api/errors/30003";
  expect(readLateFailures(system.journal, "sms")).toMatchObject([{ id: "lost", external_id: lost.sid, error }]);
  const told = "a message that Twilio had accepted didn't arrive";
  await system.until(() => number.first.log.includes(told), "the log says it");
  await number.first.stop();
  expect(number.first.log.split(told)).toHaveLength(2);
});

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

test("killed while a part is on its way, nothing more of it goes out, and that is told", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  await number.first.stop();
  using stop = new StopPoint();
  const program = await number.start(stop.env);
  stop.set("delivered", 2);
  await system.say(toAda("long", ["a", "b", "c"].map((letter) => letter.repeat(1500)).join("\n")));
  await system.until(() => stop.isReached(), "the second part has arrived, and isn't noted");
  stop.clear();
  await program.kill();
  await number.start();
  expect(await system.receipt("long")).toMatchObject({ ok: false, unknown: true });
  await system.say(toAda("next"));
  expect(await system.receipt("next")).toMatchObject({ ok: true });
  expect(twilio.texts.map((text) => text[0])).toEqual(["a", "b", "t"]);
});

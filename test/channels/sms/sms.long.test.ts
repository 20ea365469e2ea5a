/** The channel `sms` against a server that plays Twilio. */
import { expect, test } from "vitest";
import { readLateFailures } from "../../../journal/channels/late-failures.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
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

test("an id is as Twilio's signature has it", async () => {
  await using number = await startNumber();
  expect(await number.twilio.write("short", { sid: "SM17" })).toMatchObject({ status: 200 });
  await number.system.until(() => number.system.messages.length > 0, "it has come");
  expect(number.system.messages).toMatchObject([{ id: "SM17", text: "short" }]);
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
  const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(form) };
  expect((await fetch(twilio.webhook, json)).status).toBe(403);
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
    ["torn", "torn"],
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
  expect(twilio.texts).toEqual(["text of patient", "text of reset", "text of half", "text of torn"]);
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
  const receipt = { ok: false, late: true, error, external_id: lost.sid };
  await system.until(() => system.receipts("lost").length > 1, "its agent hears it");
  expect(system.receipts("lost")).toEqual([{ ok: true, external_id: lost.sid }, receipt]);
  expect(system.receipts("fine")).toEqual([{ ok: true, external_id: fine.sid }]);
});

test("reports that come before the answer to the call, and in another order, change nothing of what is told", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const answered = Promise.withResolvers<void>();
  twilio.answered = answered.promise;
  await system.say(toAda("early"));
  const early = await system.until(() => twilio.sent[0], "it is accepted");
  for (const status of ["delivered", "sent", "queued"]) expect(await twilio.report(early, status)).toBe(204);
  answered.resolve();
  expect(await system.receipt("early")).toEqual({ ok: true, external_id: early.sid });
  const late = Promise.withResolvers<void>();
  twilio.answered = late.promise;
  await system.say(toAda("lost"));
  const lost = await system.until(() => twilio.sent[1], "the next one is accepted");
  for (const [status, code] of [["undelivered", 30003], ["sent"], ["undelivered", 30003]] as const)
    expect(await twilio.report(lost, status, code)).toBe(204);
  late.resolve();
  await system.until(() => system.receipts("lost").length === 2, "both receipts");
  expect(system.receipts("lost")).toContainEqual({ ok: true, external_id: lost.sid });
  expect(system.receipts("lost")).toContainEqual(expect.objectContaining({ ok: false, late: true }));
  expect(readLateFailures(system.journal, "sms")).toMatchObject([{ id: "lost", external_id: lost.sid }]);
  expect(twilio.texts).toEqual(["text of early", "text of lost"]);
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

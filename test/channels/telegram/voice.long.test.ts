/** Voice messages, both ways: as sound, and as the words that an endpoint hears in them. */
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { attachmentRules, attachmentsFolder } from "../../../journal/attachments/take-attachments.ts";
import { startBot, toAda } from "./telegram-bot.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";

const ogg = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(60)]);
const voice = { file_id: "v", file_unique_id: "v", duration: 3, mime_type: "audio/ogg", file_size: ogg.length };

/** An endpoint that transcribes: what it was asked, and what it answers next. */
const asked: { key: string | undefined; model: unknown; name: string; bytes: Buffer }[] = [];
const answers: { status: number; body: string }[] = [];
const server = createServer(keptConnections, (request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = request.headers["content-type"] ?? "";
    const form = await new Response(Buffer.concat(chunks), { headers: { "content-type": type } }).formData();
    const file = form.get("file") as File;
    const bytes = Buffer.from(await file.arrayBuffer());
    asked.push({ key: request.headers.authorization, model: form.get("model"), name: file.name, bytes });
    const { status, body } = answers.shift() ?? { status: 200, body: JSON.stringify({ text: " Buy bread. " }) };
    response.writeHead(request.url === "/v1/audio/transcriptions" ? status : 404).end(body);
  })();
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
afterAll(() => void server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;

test("what somebody says becomes the text of the message, with the sound beside it", async () => {
  await using bot = await startBot({ allow: ["17"] });
  writeFileSync(join(bot.system.journal, "key"), "sk-nobody\n", { mode: 0o600 });
  const transcribe = { url, model: "whisper-1", key_file: "key" };
  bot.system.configure({
    telegram: { token_file: "bot-token", api_url: bot.api.root, allow: ["17"], transcribe },
  });
  await bot.first.stop();
  const program = await bot.start();
  bot.api.files.set("v", ogg);
  answers.push({ status: 200, body: JSON.stringify({ text: " Buy bread. " }) });
  answers.push({ status: 500, body: "no" }, { status: 200, body: '{"text": 7}' });
  answers.push({ status: 200, body: JSON.stringify({ text: "x".repeat(2_000_000) }) });
  bot.api.write("", { voice, caption: "for tonight" });
  for (let n = 0; n < 3; n++) bot.api.write("", { voice });
  bot.api.write("", { voice: { ...voice, file_id: "gone" } });
  await bot.system.until(() => bot.system.messages.length === 5, "all");
  expect(bot.system.messages.map(({ text }) => text)).toEqual([
    "for tonight\n\nBuy bread.",
    ...Array.from({ length: 3 }, () => "[voice message, 3 s: it couldn't be transcribed]"),
    "[voice message, 3 s: it can't be heard]",
  ]);
  const [first] = bot.system.messages;
  expect(first?.attachments).toEqual([
    { id: expect.any(String), name: expect.stringMatching(/^voice-\d+\.ogg$/), mime: "audio/ogg", size: ogg.length },
  ]);
  expect(asked[0]).toEqual({
    key: "Bearer sk-nobody",
    model: "whisper-1",
    name: first?.attachments?.[0]?.name,
    bytes: ogg,
  });
  expect(program.log).not.toContain("sk-nobody");
});

test("without the setting the message says that there is something to hear", async () => {
  await using bot = await startBot({ allow: ["17"] });
  bot.api.files.set("v", ogg);
  bot.api.write("", { voice });
  bot.api.write("", { audio: { ...voice, file_name: "song.ogg", duration: 200 } });
  await bot.system.until(() => bot.system.messages.length === 2, "both");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["[voice message, 3 s]", "[sound, 200 s]"]);
  expect(bot.system.messages.every(({ attachments }) => attachments?.[0]?.mime === "audio/ogg")).toBe(true);
});

test("a stranger's sound is neither fetched nor transcribed", async () => {
  await using bot = await startBot({ transcribe: { url, model: "whisper-1" } });
  const before = asked.length;
  bot.api.write("", { voice });
  await bot.system.until(() => bot.system.messages.length === 1, "the message");
  expect(bot.system.messages[0]?.text).toBe("[voice message, 3 s: sounds of people whom I don't know aren't heard]");
  expect(bot.system.messages[0]?.attachments?.[0]?.id).toBeUndefined();
  expect([asked.length, bot.api.calls.filter(({ method }) => method === "getFile")]).toEqual([before, []]);
});

test("a sound that is sent is a voice message, or a document where Telegram takes it for none", async () => {
  await using bot = await startBot();
  const { journal } = bot.system;
  async function* bytes() {
    yield new Uint8Array(ogg);
  }
  const stored = await storeAttachment(attachmentsFolder(journal), "a.ogg", bytes(), attachmentRules({}));
  const attachments = [{ id: stored.id, name: "a.ogg", mime: "audio/ogg", size: ogg.length }];
  await bot.system.say({ ...toAda("r1", ""), attachments });
  expect(await bot.system.receipt("r1")).toMatchObject({ ok: true });
  bot.api.fail("sendVoice", { error_code: 400, description: "Bad Request: VOICE_MESSAGES_FORBIDDEN" });
  await bot.system.say({ ...toAda("r2", ""), attachments });
  expect(await bot.system.receipt("r2")).toMatchObject({ ok: true });
  const sent = { chat_id: "17", name: "a.ogg", content: ogg };
  expect(bot.api.sentFiles).toEqual([
    { method: "sendVoice", ...sent },
    { method: "sendDocument", ...sent },
  ]);
});

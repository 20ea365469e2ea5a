/** Updates that Telegram sends to the webhook. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { postHalf } from "../../support/network/torn.ts";
import { botToken } from "./bot-api.ts";
import { startBot, toAda } from "./telegram-bot.ts";

const public_url = "https://bot.example/telegram/hook";

async function startWebhook() {
  const bot = await startBot({ webhook: { public_url, port: 0 } });
  const reach = async (program = bot.first) => bot.api.reach(await program.isReady());
  await reach();
  await bot.system.until(() => bot.api.webhook, "the webhook is set");
  return Object.assign(bot, { reach });
}

test("Telegram is told of the webhook with a secret that is kept, and what it sends is stored before it is answered", async () => {
  await using bot = await startWebhook();
  const { webhook } = bot.api;
  expect(webhook).toMatchObject({ url: public_url, max_connections: 1 });
  expect(webhook?.allowed_updates).toEqual(expect.arrayContaining(["message", "callback_query"]));
  const file = join(bot.system.journal, ".run/telegram-webhook-secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const text of ["a", "b", "c"]) bot.api.write(text);
  await bot.system.until(() => bot.system.messages.length === 3, "all have come");
  await bot.system.until(() => bot.api.waiting === 0, "all are answered");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["a", "b", "c"]);
  expect(bot.api.polls).toEqual([]);
  expect(await bot.first.stop()).toBe(0);
  bot.api.write("d");
  await bot.reach(await bot.start());
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "d", "what came while it was away");
  expect(bot.api.webhook?.secret_token).toBe(webhook?.secret_token);
});

test("whoever doesn't know the secret is refused, and nothing of it is stored", async () => {
  await using bot = await startWebhook();
  const url = await bot.first.isReady();
  const from = { id: 17, is_bot: false, first_name: "Ada" };
  const message = { message_id: 1, date: 1, from, chat: { id: 17, type: "private" }, text: "forged" };
  const post = (headers: Record<string, string>, body: unknown = { update_id: 1, message }) =>
    fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    }).then(({ status }) => status);
  const right = { "X-Telegram-Bot-Api-Secret-Token": bot.api.webhook?.secret_token ?? "" };
  expect(await post({})).toBe(401);
  expect(await post({ "X-Telegram-Bot-Api-Secret-Token": "x".repeat(43) })).toBe(401);
  // Whatever else it is: of who doesn't know the secret nothing is read.
  expect(await post({ "Content-Type": "application/x-www-form-urlencoded" })).toBe(401);
  expect((await fetch(url)).status).toBe(401);
  expect(await post(right, { message })).toBe(400);
  expect(await post(right, { update_id: 2, pad: "x".repeat(1024 * 1024) })).toBe(413);
  bot.api.write("real");
  await bot.system.until(() => bot.system.messages.length > 0, "the real one");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["real"]);
});

test("killed with -9 and started again, it takes each update once, also those that are sent twice", async () => {
  await using bot = await startWebhook();
  const ids: string[] = [];
  let program = bot.first;
  for (const text of ["a", "b", "c"]) {
    bot.api.write(`${text}1`);
    bot.api.write(`${text}2`);
    await bot.system.until(() => bot.system.messages.some((message) => message.text === `${text}1`), "one of them");
    await program.kill();
    program = await bot.start();
    await bot.reach(program);
    ids.push(`${text}1`, `${text}2`);
  }
  await bot.system.until(() => bot.system.messages.length >= ids.length && bot.api.waiting === 0, "all");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(ids);
});

test("while the bus is away an update is refused and comes again; one that can't be taken is put away", async () => {
  await using bot = await startWebhook();
  const isBack = bot.system.server.killAndRestart(await bot.system.server.as("agents"));
  bot.api.write("meanwhile");
  await isBack;
  await bot.system.until(() => bot.system.messages.length === 1, "it has come");
  bot.api.write("x".repeat(300_000));
  bot.api.write("behind it");
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "behind it", "what comes behind it");
  expect(bot.system.messages).toHaveLength(2);
  expect(listQuarantine(bot.system.journal)).toMatchObject([{ record: { store: "telegram", failures: 3 } }]);
});

test("an update that comes behind a later one, or breaks off before it comes whole, is taken once, when it comes", async () => {
  await using bot = await startWebhook();
  const url = await bot.first.isReady();
  const headers = {
    "Content-Type": "application/json",
    "X-Telegram-Bot-Api-Secret-Token": bot.api.webhook?.secret_token ?? "",
  };
  const from = { id: 17, is_bot: false, first_name: "Ada" };
  const update = (n: number, text: string) => {
    const message = { message_id: n, date: 1736380800 + n, from, chat: { id: 17, type: "private" }, text };
    return JSON.stringify({ update_id: 5000 + n, message });
  };
  const post = (body: string) => fetch(url, { method: "POST", headers, body }).then(({ status }) => status);
  await postHalf(url, headers, update(1, "torn"));
  expect(await post(update(3, "third"))).toBe(200);
  expect(await post(update(2, "second"))).toBe(200);
  expect(await post(update(1, "torn"))).toBe(200);
  for (const again of [update(2, "second"), update(3, "third")]) expect(await post(again)).toBe(200);
  expect(await post(update(4, "last"))).toBe(200);
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "last", "all");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["third", "second", "torn", "last"]);
});

test("a token that is taken back while Telegram sends its updates ends it, and what was to go out goes out later", async () => {
  await using bot = await startWebhook();
  bot.api.token = "";
  await bot.system.say(toAda("kept"));
  expect(await bot.first.exited).toBe(125);
  expect(bot.first.log).toContain("401 Unauthorized");
  expect(bot.system.receipts("kept")).toEqual([]);
  bot.api.token = botToken;
  await bot.start();
  expect(await bot.system.receipt("kept")).toMatchObject({ ok: true });
  expect(bot.api.texts).toEqual(["text of kept"]);
});

test("back at polling, the webhook is taken away, and nothing is lost", async () => {
  await using bot = await startWebhook();
  await bot.first.stop();
  bot.api.write("while it was away");
  bot.system.configure({ telegram: { token_file: "bot-token", api_url: bot.api.root } });
  await bot.start();
  await bot.system.until(() => bot.system.messages.length === 1, "it has come");
  expect(bot.api.webhook).toBeNull();
  expect(bot.api.calls.map(({ method }) => method)).toEqual(["setWebhook", "deleteWebhook"]);
});

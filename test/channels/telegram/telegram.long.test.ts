/** The telegram channel against a server that speaks the Bot API. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { saidCommands } from "../../../protocol/agents/said-commands.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { botToken } from "./bot-api.ts";
import { startBot, toAda } from "./telegram-bot.ts";

test("a user's message comes with its chat, its sender and its thread", async () => {
  await using bot = await startBot();
  const first = bot.api.write("hello");
  const topic = bot.api.write("@cortex_bot in a topic", {
    chat: { id: -100200, type: "supergroup", title: "Harbor", is_forum: true },
    message_thread_id: 5,
    is_topic_message: true,
  });
  const command = bot.api.write("/start");
  const pair = bot.api.write("/pair@cortex_bot 123456");
  bot.api.happen({
    message: { message_id: 1, chat: { id: -1, type: "channel", title: "x" }, date: 1, text: "nobody's" },
  });
  bot.api.write("", { new_chat_title: "x" });
  const last = bot.api.write("last");
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "last", "all");
  const who = { date: 1736380800, name: "Ada", username: "ada" };
  expect(bot.system.messages).toMatchObject([
    {
      id: bot.api.idOf(first),
      text: "hello",
      channel: { type: "telegram", channelId: "17", userId: "17" },
      metadata: { ...who, chat_type: "private" },
    },
    { id: bot.api.idOf(topic), text: "in a topic", channel: { channelId: "-100200", userId: "17", replyTo: "5" } },
    { id: bot.api.idOf(command), text: "/start", metadata: { command: "pair" } },
    { id: bot.api.idOf(pair), text: "123456" },
    { id: bot.api.idOf(last), text: "last" },
  ]);
  for (const index of [0, 3]) expect(bot.system.messages[index]?.metadata).not.toHaveProperty("command");
  await bot.system.until(() => bot.api.waiting === 0, "all are confirmed");
  expect(await bot.first.stop()).toBe(0);
});

test("Telegram offers the commands that there are; a refusal of that holds nothing up", async () => {
  await using bot = await startBot();
  await bot.system.until(() => bot.api.menus.length > 0, "the commands are set");
  const commands = Object.entries(saidCommands).map(([command, description]) => ({ command, description }));
  expect(bot.api.menus).toEqual([commands]);
  bot.api.fail("setMyCommands", { error_code: 429, description: "Too Many Requests", parameters: { retry_after: 60 } });
  await bot.first.kill();
  await bot.start();
  bot.api.write("hello");
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "hello", "it is taken");
});

test("killed with -9 again and again, it takes each message once", async () => {
  await using bot = await startBot();
  let program = bot.first;
  const wanted: string[] = [];
  for (let n = 1; n <= 4; n++) {
    for (const part of ["a", "b", "c"]) wanted.push(bot.api.idOf(bot.api.write(`${n}${part}`)));
    // Anywhere between the first of them and the last.
    await bot.system.until(() => bot.system.messages.length > (n - 1) * 3, "one of them");
    await program.kill();
    program = await bot.start();
  }
  wanted.push(bot.api.idOf(bot.api.write("last")));
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "last", "all");
  expect(bot.system.messages.map(({ id }) => id)).toEqual(wanted);
});

test("an update that Telegram gives again, since it wasn't confirmed, is not a second message", async () => {
  await using bot = await startBot();
  const id = bot.api.write("once");
  await bot.system.until(() => bot.system.messages.length === 1 && bot.api.waiting === 0, "it came");
  await bot.first.kill();
  await bot.start();
  bot.api.repeat(id);
  bot.api.write("then");
  await bot.system.until(() => bot.system.messages.length === 2, "the next");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["once", "then"]);
});

test("while the bus is away no message is confirmed, and all come when it is back", async () => {
  await using bot = await startBot();
  bot.api.write("before");
  await bot.system.until(() => bot.system.messages.length === 1, "the first");
  const agents = await bot.system.server.as("agents");
  const isBack = bot.system.server.killAndRestart(agents);
  bot.api.write("meanwhile");
  await isBack;
  await bot.system.until(() => bot.system.messages.length === 2, "the second");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["before", "meanwhile"]);
});

test("a reply goes to its chat and thread, with its id there as the receipt", async () => {
  await using bot = await startBot();
  await bot.system.say({
    ...toAda("r1", "hello"),
    channel: { type: "telegram", channelId: "-100200", replyTo: "5" },
  });
  const receipt = await bot.system.receipt("r1");
  expect(receipt).toEqual({ ok: true, external_id: String(bot.api.sent[0]?.message_id) });
  expect(bot.api.calls).toEqual([
    { method: "sendMessage", payload: { chat_id: "-100200", text: "hello", message_thread_id: 5 } },
  ]);
});

test("a long reply goes out in parts, each once, also when it is killed between two of them", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  using stop = new StopPoint();
  const program = await bot.start(stop.env);
  const text = Array.from({ length: 300 }, (_, n) => `Line ${n} ${"x".repeat(30)}`).join("\n");
  stop.set("delivery-noted", 2);
  await bot.system.say(toAda("long", text));
  await bot.system.until(() => stop.isReached(), "two parts are noted");
  stop.clear();
  await program.kill();
  expect(bot.api.sent).toHaveLength(2);
  await bot.start();
  const receipt = await bot.system.receipt("long");
  expect(receipt).toEqual({ ok: true, external_id: bot.api.sent.map(({ message_id }) => message_id).join(",") });
  expect(bot.api.texts.every((part) => part.length <= 4096)).toBe(true);
  expect(bot.api.texts.join("\n")).toBe(text);
});

test("killed while a part is on its way, nothing more of it goes out, and that is told", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  using stop = new StopPoint();
  const program = await bot.start(stop.env);
  stop.set("delivered", 2);
  await bot.system.say(toAda("long", `${"a".repeat(4000)}\n${"b".repeat(4000)}\n${"c".repeat(4000)}`));
  await bot.system.until(() => stop.isReached(), "the second part has arrived, and isn't noted");
  stop.clear();
  await program.kill();
  await bot.start();
  expect(await bot.system.receipt("long")).toMatchObject({ ok: false, unknown: true });
  await bot.system.say(toAda("next"));
  expect(await bot.system.receipt("next")).toMatchObject({ ok: true });
  expect(bot.api.texts.map((text) => text[0])).toEqual(["a", "b", "t"]);
});

test("a chat that isn't there is a refusal, a flood is waited out as long as asked, a broken connection is unknown", async () => {
  await using bot = await startBot();
  await bot.system.say({ ...toAda("gone"), channel: { type: "telegram", channelId: "404" } });
  expect(await bot.system.receipt("gone")).toEqual({ ok: false, error: "Telegram: 400 Bad Request: chat not found" });
  const flood = { error_code: 429, description: "Too Many Requests: retry after 2", parameters: { retry_after: 2 } };
  bot.api.fail("sendMessage", flood);
  await bot.system.say(toAda("patient"));
  expect(await bot.system.receipt("patient")).toMatchObject({ ok: true });
  bot.api.fail("sendMessage", "reset");
  await bot.system.say(toAda("reset"));
  expect(await bot.system.receipt("reset")).toMatchObject({ ok: false, unknown: true });
  bot.api.fail("sendMessage", { error_code: 500, description: "Internal Server Error" });
  await bot.system.say(toAda("broken"));
  expect(await bot.system.receipt("broken")).toMatchObject({ ok: false, unknown: true });
  bot.api.fail("sendMessage", "torn");
  await bot.system.say(toAda("torn"));
  const torn = await bot.system.receipt("torn");
  expect(torn).toMatchObject({ ok: false, unknown: true, error: expect.stringMatching("^Telegram didn't answer") });
  await bot.system.say(toAda("blank", " \n "));
  expect(await bot.system.receipt("blank")).toMatchObject({ ok: false });
  expect(bot.api.texts).toEqual(["text of patient", "text of torn"]);
  expect(bot.first.log).not.toContain(botToken);
  expect(bot.first.log).not.toContain(botToken.split(":")[1]);
});

test("Telegram that fails or conflicts is asked again", async () => {
  await using bot = await startBot();
  bot.api.fail(
    "getUpdates",
    { error_code: 409, description: "Conflict: terminated by other getUpdates request" },
    { error_code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } },
    { error_code: 502, description: "Bad Gateway" },
    "reset",
  );
  bot.api.write("first");
  bot.api.write("second");
  await bot.system.until(() => bot.system.messages.length === 2, "both");
  // What an answer had that broke off in the middle wasn't confirmed.
  bot.api.fail("getUpdates", "torn");
  for (const text of ["third", "fourth"]) {
    bot.api.write(text);
    await bot.system.until(() => bot.system.messages.at(-1)?.text === text, text);
  }
  await bot.system.until(() => bot.api.waiting === 0, "all are confirmed");
  expect(bot.api.failures.get("getUpdates")).toEqual([]);
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["first", "second", "third", "fourth"]);
  expect(bot.first.log).not.toContain(botToken);
});

test("an update that can't be taken is put away at the third failure, and what comes behind it is taken", async () => {
  await using bot = await startBot();
  const poison = bot.api.write("x".repeat(1_200_000));
  bot.api.write("behind it");
  await bot.system.until(() => bot.system.messages.at(-1)?.text === "behind it", "what comes behind it");
  const [one, ...more] = listQuarantine(bot.system.journal);
  expect(more).toEqual([]);
  expect(one?.record).toMatchObject({ store: "telegram", failures: 3 });
  expect(one?.record?.key).toMatch(new RegExp(`:${poison}$`));
  await bot.system.until(() => bot.api.waiting === 0, "all are confirmed");
  expect(listQuarantine(bot.system.journal)).toHaveLength(1);
});

test("a token that is refused ends it for good, and isn't shown", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  const wrong = `${botToken}x`;
  writeFileSync(join(bot.system.journal, "bot-token"), wrong, { mode: 0o600 });
  const program = bot.system.start("telegram");
  expect(await program.exited).toBe(125);
  expect(program.log).toContain("401 Unauthorized");
  expect(program.log).not.toContain(wrong);
  writeFileSync(join(bot.system.journal, "bot-token"), "no token", { mode: 0o600 });
  expect(await bot.system.start("telegram").exited).toBe(125);
});

test("an owner may write whether the settings name them in `allow` or not", async () => {
  await using bot = await startBot({ allow: ["17"] });
  await writeOwners(bot.system.journal, ["telegram:18"]);
  bot.api.write("from an owner", {}, 18);
  await bot.system.until(() => bot.system.messages.length > 0, "it is heard");
  expect(bot.system.messages).toMatchObject([{ text: "from an owner", channel: { userId: "18" } }]);
  expect(bot.api.sent).toEqual([]);
});

test("a sender who isn't allowed is told once, and nothing reaches the bus", async () => {
  await using bot = await startBot({ allow: ["17"] });
  bot.api.write("let me in", {}, 99);
  bot.api.write("please", {}, 99);
  bot.api.write("@cortex_bot in a group", { chat: { id: -5, type: "group", title: "x" } }, 98);
  bot.api.happen({
    callback_query: { id: "q1", from: { id: 99, is_bot: false, first_name: "Eve" }, data: "allow:t1" },
  });
  bot.api.write("hello");
  await bot.system.until(() => bot.system.messages.length > 0, "who is allowed");
  expect(bot.system.heard).toHaveLength(1);
  expect(bot.system.messages).toMatchObject([{ text: "hello" }]);
  // Nothing waits for that: it may go out later.
  await bot.system.until(() => bot.api.sent.length > 0, "the sender is told");
  expect(bot.api.sent).toMatchObject([{ chat_id: "99", text: expect.stringContaining("private") }]);
});

test("a sender who isn't allowed holds up nobody where Telegram doesn't answer what they are told", async () => {
  await using bot = await startBot({ allow: ["17"] });
  bot.api.fail("sendMessage", "silent");
  bot.api.write("let me in", {}, 99);
  bot.api.write("hello");
  await bot.system.until(() => bot.system.messages.length > 0, "who is allowed");
  expect(bot.first.log).not.toContain("a stranger wasn't told");
});

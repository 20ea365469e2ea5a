/** Edits and "typing …" in the rooms of a bot. */
import { expect, test } from "vitest";
import { publishChannelTurns } from "../../../bus/agents/channel-turns.ts";
import { startBot, toAda } from "./telegram-bot.ts";

test("an edit names the message that it changes; a place that moves is none", async () => {
  await using bot = await startBot();
  const id = bot.api.write("at five");
  const { message } = bot.api.updateOf(id) as { message: Record<string, unknown> };
  bot.api.happen({ edited_message: { ...message, text: undefined, location: { latitude: 1, longitude: 2 } } });
  const edit = bot.api.happen({ edited_message: { ...message, text: "at six", edit_date: 1736380900 } });
  await bot.system.until(() => bot.system.messages.length === 2, "both");
  expect(bot.system.messages).toMatchObject([
    { id: bot.api.idOf(id), text: "at five" },
    { id: `${bot.api.idOf(id)}-${edit}`, text: "at six", edits: bot.api.idOf(id) },
  ]);
});

test("it shows that it is typing where a message was taken; a refusal of that holds nothing up", async () => {
  await using bot = await startBot();
  bot.api.fail("sendChatAction", { error_code: 403, description: "Forbidden: bot was blocked by the user" });
  bot.api.write("hello");
  await bot.system.until(() => bot.api.typing.length === 1, "it tried to show it");
  bot.api.write("@cortex_bot in a topic", {
    chat: { id: -100200, type: "supergroup", title: "Harbor", is_forum: true },
    message_thread_id: 5,
    is_topic_message: true,
  });
  await bot.system.until(() => bot.api.typing.length === 2, "it shows it");
  expect(bot.api.typing[1]).toEqual({ chat_id: "-100200", action: "typing", message_thread_id: 5 });
  await bot.system.until(() => bot.system.messages.length === 2, "both have come");
});

test("it shows that it is typing again when a turn begins behind an answer", async () => {
  await using bot = await startBot();
  bot.api.write("first");
  bot.api.write("second");
  await bot.system.until(() => bot.api.typing.length >= 2 && bot.system.messages.length === 2, "both are taken");
  await bot.system.say(toAda("r1"));
  await bot.system.receipt("r1");
  const before = bot.api.typing.length;
  const items = bot.system.messages.map(({ id }) => `telegram:${id}`).slice(1);
  const news = { event: "turn_started", ts: Date.now(), agent_id: "tz4a98xxat96iws9zmbrgj3a", items } as const;
  publishChannelTurns(await bot.system.server.as("agents"), news);
  await bot.system.until(() => bot.api.typing.length > before, "it shows it again");
});

test("a bot to whom Telegram doesn't say at once who it is hears what comes all the same, once", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  bot.api.fail("getMe", { error_code: 502, description: "Bad Gateway" }, "reset");
  bot.api.write("@cortex_bot hello", { chat: { id: -5, type: "group", title: "Harbor" } });
  await bot.start();
  await bot.system.until(() => bot.system.messages.length > 0 && bot.api.waiting === 0, "it is taken");
  expect(bot.system.messages.map(({ text }) => text)).toEqual(["hello"]);
});

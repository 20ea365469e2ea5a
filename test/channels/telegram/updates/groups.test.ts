/** Messages of groups: those that are for the bot are heard. */
import type { Message, Update } from "grammy/types";
import { expect, test } from "vitest";
import { incomingOf } from "../../../../channels/telegram/updates/update.ts";

const bot = { id: 5, username: "Cortex_Bot" };
const chat = { id: -7, type: "supergroup", title: "Harbor" };
const ada = { id: 17, is_bot: false, first_name: "Ada" };
const me = { id: 5, is_bot: true, first_name: "Cortex" };

function heard(text: string, more: object = {}, hearsAll = false) {
  const message = { message_id: 9, date: 1, chat, from: ada, ...(text === "" ? {} : { text }), ...more };
  const incoming = incomingOf({ update_id: 1, message } as Update, { bot, hearsAll: () => hearsAll });
  return incoming.kind === "message" ? incoming.message.text : null;
}

const at = (type: string, text: string, mark: string, more = {}) => ({
  entities: [{ type, offset: text.indexOf(mark), length: mark.length, ...more }],
});
const mention = (text: string, name = "@cortex_bot") => heard(text, at("mention", text, name));
const command = (text: string) => heard(text, at("bot_command", text, text.split(" ")[0] ?? ""));
const before = (more: object = {}) => ({ reply_to_message: { message_id: 8, date: 1, chat, from: me, ...more } });

test("what isn't said to the bot isn't heard", () => {
  expect(heard("hello all")).toBeNull();
  expect(heard("I wrote to @cortex_bot.com")).toBeNull();
  expect(mention("@another_bot hello", "@another_bot")).toBeNull();
  expect(heard("", { photo: [{ file_id: "p" }] })).toBeNull();
  expect(heard("I think so, too", before({ from: ada, text: "so" }))).toBeNull();
});

test("a message that mentions the bot is heard without its name, however that is written", () => {
  expect(mention("@cortex_bot hello")).toBe("hello");
  expect(mention("@CORTEX_bot: hello", "@CORTEX_bot")).toBe("hello");
  expect(mention("hey @cortex_bot, what time is it?")).toBe("hey, what time is it?");
  expect(mention("what time is it @cortex_bot")).toBe("what time is it");
  expect(mention("@cortex_bot")).toBe("@cortex_bot");
  const text = "Cortex hello";
  expect(heard(text, at("text_mention", text, "Cortex", { user: me }))).toBe("hello");
  expect(heard(text, at("text_mention", text, "Cortex", { user: ada }))).toBeNull();
  const caption = { caption: "@cortex_bot look", caption_entities: [{ type: "mention", offset: 0, length: 11 }] };
  expect(heard("", { ...caption, photo: [{ file_id: "p" }] })).toBe("look");
});

test("commands are heard, but those of another bot", () => {
  expect(command("/new")).toBe("/new");
  expect(command("/new@cortex_bot")).toBe("/new");
  expect(command("/model@Cortex_Bot gpt-5")).toBe("/model gpt-5");
  expect(command("/new@another_bot")).toBeNull();
  const text = "/new@another_bot";
  expect(heard(text, { ...at("bot_command", text, text), ...before({ text: "hello" }) })).toBeNull();
  expect(heard(`bind-${"a".repeat(20)}`)).toBe(`bind-${"a".repeat(20)}`);
});

test("an answer to the bot is heard with what it answers", () => {
  expect(heard("why?", before({ text: "It rains.\nTake a coat." }))).toBe("> you: It rains.\n> Take a coat.\n\nwhy?");
  expect(heard("why?", before({ forum_topic_created: { name: "x", icon_color: 1 } }))).toBeNull();
  const text = "@cortex_bot is that so?";
  const asked = heard(text, { ...at("mention", text, "@cortex_bot"), ...before({ from: ada, text: "x".repeat(600) }) });
  expect(asked).toBe(`> Ada: ${"x".repeat(500)} …\n\nis that so?`);
  expect(heard("this?", { ...before({ text: "a b c" }), quote: { text: "b", position: 2 } })).toBe("> you: b\n\nthis?");
  expect(heard("this?", before({ photo: [] }))).toBe("> you: [a file]\n\nthis?");
  expect(heard("/stop", { ...at("bot_command", "/stop", "/stop"), ...before({ text: "a" }) })).toBe("/stop");
  expect(heard("allow 5f0c8d0e", before({ text: "May I?" }))).toBe("allow 5f0c8d0e");
});

test("in a room that belongs to a thread all is heard, as it was said", () => {
  expect(heard("hello all", before({ text: "a" }), true)).toBe("hello all");
  expect(heard("@cortex_bot hello", at("mention", "@cortex_bot hello", "@cortex_bot"), true)).toBe("@cortex_bot hello");
});

test("only a topic of a forum is a thread: an answer in a group without topics isn't", () => {
  const room = (more: Partial<Message>) => {
    const message = { message_id: 9, date: 1, chat, from: ada, text: "a", ...more };
    const incoming = incomingOf({ update_id: 1, message } as Update, { bot, hearsAll: () => true });
    return incoming.kind === "message" ? incoming.message.channel.replyTo : null;
  };
  expect(room({ message_thread_id: 5, is_topic_message: true })).toBe("5");
  expect(room({ message_thread_id: 5 })).toBeUndefined();
});

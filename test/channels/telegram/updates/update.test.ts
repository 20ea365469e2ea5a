/** Updates of Telegram's as messages: nothing that somebody sends is passed over in silence. */
import type { Message, Update } from "grammy/types";
import { expect, test } from "vitest";
import { incomingOf } from "../../../../channels/telegram/updates/update.ts";

const hearing = { bot: { id: 5, username: "Cortex_Bot" }, hearsAll: () => false };

const taken = (content: Partial<Message>) => {
  const from = { id: 17, is_bot: false, first_name: "Ada" };
  const message = { message_id: 9, date: 1, chat: { id: 17, type: "private", first_name: "Ada" }, from, ...content };
  const incoming = incomingOf({ update_id: 1, message } as Update, hearing);
  return incoming.kind === "message" ? { text: incoming.message.text, file: incoming.file } : incoming.kind;
};

const file = (name: string, type: string) => ({ fileId: "f", name, type, size: 10 });
const sticker = { file_id: "f", file_unique_id: "u", type: "regular" as const, width: 512, height: 512, file_size: 10 };

test.each<[string, Partial<Message>, ReturnType<typeof taken>]>([
  [
    "a sticker",
    { sticker: { ...sticker, emoji: "🌻", is_animated: false, is_video: false } },
    { text: "[sticker 🌻]", file: file("sticker-9.webp", "image/webp") },
  ],
  [
    "a sticker that moves",
    { sticker: { ...sticker, is_animated: true, is_video: false } },
    { text: "[sticker]", file: null },
  ],
  [
    "a round video",
    { video_note: { file_id: "f", file_unique_id: "u", length: 240, duration: 3, file_size: 10 } },
    { text: "", file: file("video-note-9.mp4", "video/mp4") },
  ],
  ["a place", { location: { latitude: 52.5, longitude: 13.4 } }, { text: "[place: 52.5, 13.4]", file: null }],
  [
    "a named place",
    {
      location: { latitude: 1, longitude: 2 },
      venue: { location: { latitude: 1, longitude: 2 }, title: "Harbor", address: "Quay 1" },
    },
    { text: "[place: Harbor, Quay 1 (1, 2)]", file: null },
  ],
  [
    "a contact",
    { contact: { phone_number: "+1", first_name: "Bo", last_name: "Li" } },
    { text: "[contact: Bo Li, +1]", file: null },
  ],
  [
    "a poll",
    { poll: { question: "When?", options: [{ text: "May" }, { text: "June" }] } } as unknown as Partial<Message>,
    { text: "[poll: When? May / June]", file: null },
  ],
  ["dice", { dice: { emoji: "🎲", value: 4 } }, { text: "[🎲 4]", file: null }],
  [
    "a story",
    { story: { chat: { id: 1, type: "private", first_name: "A" }, id: 2 } },
    { text: "[story: it can't be read here]", file: null },
  ],
  ["a rich message", { rich_message: { blocks: [] } }, { text: "[rich message: it can't be read here]", file: null }],
  [
    "winners of a giveaway",
    { giveaway_winners: {} } as unknown as Partial<Message>,
    { text: "[giveaway winners: it can't be read here]", file: null },
  ],
  ["a message that was pinned", { pinned_message: { chat: { id: 17 }, message_id: 1 } } as Partial<Message>, "other"],
  ["a new title of the room", { new_chat_title: "Harbor" }, "other"],
  ["a topic that was made", { forum_topic_created: { name: "Quay", icon_color: 7322096 } }, "other"],
  ["somebody who joined", { new_chat_members: [{ id: 3, is_bot: false, first_name: "C" }] }, "other"],
])("%s", (_, content, expected) => {
  expect(taken(content)).toEqual(expected);
});

/** Conversion of an update of the Bot API into a message or a decision. Pure. */
import type { CallbackQuery, Message, Update, User } from "grammy/types";
import type { InboundMessage } from "../../../protocol/agents/channel.ts";
import { type Bot, textForBot } from "./addressed.ts";
import { nameOf, withQuote } from "./quoted.ts";

/** The kinds of updates that are asked for. */
export const allowedUpdates = ["message", "edited_message", "callback_query"] as const;

/** A file that came with a message, before it was fetched. */
export type RemoteFile = {
  fileId: string;
  name: string;
  type: string | undefined;
  size: number | undefined;
  /** Set where there is something to hear: what it is, in words. */
  sound?: string;
};

export type IncomingMessage = { kind: "message"; message: InboundMessage; file: RemoteFile | null; isPrivate: boolean };

/** A button that somebody has pressed. */
export type Press = {
  kind: "press";
  queryId: string;
  userId: string;
  data: string;
  chatId: number | null;
  messageId: number | null;
};

export type Incoming =
  | IncomingMessage
  | Press
  /** Nothing for an agent: somebody joined, a bot spoke. */
  | { kind: "other" };

/** With a code behind it, it is that code that is said: Telegram's links to a bot can only be put so. */
const commandPattern = /^\/(?:start|pair)(?:@\w+)?(?:\s+(\S{1,64}))?\s*$/;

/** @field hearsAll whether all that is said in a room counts: it belongs to a thread of a workspace */
export type Hearing = { bot: Bot; hearsAll: (channelId: string) => boolean };

export function incomingOf({ update_id, callback_query, ...update }: Update, hearing: Hearing): Incoming {
  if (callback_query) return pressOf(callback_query);
  const edited = update.edited_message;
  const message = update.message ?? edited;
  // What is said in a channel or by an anonymous admin is nobody's.
  if (!message?.from || message.from.is_bot) return { kind: "other" };
  const { chat, from, message_id, date } = message;
  const isOfThread = hearing.hearsAll(String(chat.id));
  const said = textIn(message, isOfThread, hearing.bot);
  const file = fileOf(message);
  if (said === null || (said === "" && !file)) return { kind: "other" };
  // A place that moves is an edit each time.
  if (edited && edited.text === undefined && edited.caption === undefined) return { kind: "other" };
  const id = `tg-${chat.id}-${message_id}`;
  const command = commandPattern.exec(said);
  const code = command?.[1]?.trim();
  return {
    kind: "message",
    message: {
      ...(edited ? { id: `${id}-${update_id}`, edits: id } : { id }),
      text: code ?? (isOfThread ? said : withQuote(said, message, hearing.bot, otherContent)),
      channel: roomOf(message, from),
      metadata: {
        message_id,
        date,
        chat_type: chat.type,
        name: nameOf(from),
        ...(from.username === undefined ? {} : { username: from.username }),
        ...(command && code === undefined ? { command: "pair" } : {}),
      },
    },
    file,
    isPrivate: chat.type === "private",
  };
}

function pressOf({ id, from, data = "", message }: CallbackQuery): Press {
  const [chatId, messageId] = [message?.chat.id ?? null, message?.message_id ?? null];
  return { kind: "press", queryId: id, userId: String(from.id), data, chatId, messageId };
}

/** The text of a message. Null: it was said in a group, and not to the bot. */
function textIn(message: Message, isOfThread: boolean, bot: Bot): string | null {
  const isGroup = message.chat.type === "group" || message.chat.type === "supergroup";
  const said = isGroup && !isOfThread ? textForBot(message, bot) : (message.text ?? message.caption);
  return said === null ? null : said || otherContent(message);
}

function roomOf({ chat, message_thread_id, is_topic_message }: Message, from: User): InboundMessage["channel"] {
  // Answers in a group without topics have a thread, too, into which nothing can be sent.
  const isThread = message_thread_id !== undefined && is_topic_message === true;
  return {
    type: "telegram",
    channelId: String(chat.id),
    userId: String(from.id),
    ...(isThread && { replyTo: String(message_thread_id) }),
  };
}

function fileOf(message: Message): RemoteFile | null {
  const { photo, document, audio, voice, video, video_note, sticker, message_id } = message;
  // Each size of a photo is a file of its own, the largest last.
  const largest = photo?.at(-1);
  if (largest)
    return { fileId: largest.file_id, name: `photo-${message_id}.jpg`, type: "image/jpeg", size: largest.file_size };
  if (video_note) {
    const { file_id: fileId, file_size: size } = video_note;
    return { fileId, name: `video-note-${message_id}.mp4`, type: "video/mp4", size };
  }
  // One that moves is nothing that a model could look at: its emoji says what it is.
  if (sticker && !sticker.is_animated && !sticker.is_video) {
    const { file_id: fileId, file_size: size } = sticker;
    return { fileId, name: `sticker-${message_id}.webp`, type: "image/webp", size };
  }
  if (voice) {
    const { file_id: fileId, mime_type: type = "audio/ogg", file_size: size, duration } = voice;
    return { fileId, name: `voice-${message_id}.ogg`, type, size, sound: `voice message, ${duration} s` };
  }
  const other = document ?? audio ?? video;
  if (!other) return null;
  const name = "file_name" in other ? other.file_name : undefined;
  const sound = other === audio && audio ? { sound: `sound, ${audio.duration} s` } : {};
  const described = { name: name ?? `file-${message_id}`, type: other.mime_type, size: other.file_size };
  return { fileId: other.file_id, ...described, ...sound };
}

/** Content that is neither text nor a file, in words: nothing that somebody sends is passed over in silence. Empty: there is none. */
function otherContent({ sticker, venue, location, contact, poll, dice, ...message }: Message): string {
  const place = location && `${location.latitude}, ${location.longitude}`;
  if (sticker) return `[sticker${sticker.emoji === undefined ? "" : ` ${sticker.emoji}`}]`;
  if (venue) return `[place: ${venue.title}, ${venue.address} (${place})]`;
  if (location) return `[place: ${place}]`;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter((part) => part !== undefined).join(" ");
    return `[contact: ${name}, ${contact.phone_number}]`;
  }
  if (poll) return `[poll: ${poll.question} ${poll.options.map(({ text }) => text).join(" / ")}]`;
  if (dice) return `[${dice.emoji} ${dice.value}]`;
  const unread = (
    ["rich_message", "game", "story", "invoice", "paid_media", "checklist", "giveaway", "giveaway_winners"] as const
  ).find((kind) => kind in message);
  return unread === undefined ? "" : `[${unread.replace("_", " ")}: it can't be read here]`;
}

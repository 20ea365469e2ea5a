/** Conversion of an update of the Bot API into a message or a decision. Pure. */
import type { Message, Update } from "grammy/types";
import type { InboundMessage } from "../../protocol/agents/channel.ts";

/** A file that came with a message, before it was fetched. */
export type RemoteFile = { fileId: string; name: string; type: string | undefined; size: number | undefined };

export type Incoming =
  | { kind: "message"; message: InboundMessage; file: RemoteFile | null; isPrivate: boolean }
  | { kind: "decision"; queryId: string; userId: string; data: string; chatId: number | null; messageId: number | null }
  /** Nothing for an agent: somebody joined, a bot spoke. */
  | { kind: "other" };

/** With a code behind it, it is that code that is said: Telegram's links to a bot can only be put so. */
const commandPattern = /^\/(?:start|pair)(?:@\w+)?(?:\s+(\S{1,64}))?\s*$/;

export function incomingOf({ update_id, message, callback_query }: Update): Incoming {
  if (callback_query) {
    const { id, from, data = "", message: shown } = callback_query;
    const [chatId, messageId] = [shown?.chat.id ?? null, shown?.message_id ?? null];
    return { kind: "decision", queryId: id, userId: String(from.id), data, chatId, messageId };
  }
  // What is said in a channel or by an anonymous admin is nobody's.
  if (!message?.from || message.from.is_bot) return { kind: "other" };
  const text = message.text ?? message.caption ?? otherContent(message);
  const file = fileOf(message);
  if (text === "" && !file) return { kind: "other" };
  const { chat, from, message_thread_id, is_topic_message, message_id, date } = message;
  const command = commandPattern.exec(text);
  const code = command?.[1]?.trim();
  return {
    kind: "message",
    message: {
      id: `tg-${update_id}`,
      text: code ?? text,
      channel: {
        type: "telegram",
        channelId: String(chat.id),
        userId: String(from.id),
        ...(message_thread_id === undefined || is_topic_message === false
          ? {}
          : { replyTo: String(message_thread_id) }),
      },
      metadata: {
        message_id,
        date,
        chat_type: chat.type,
        name: [from.first_name, from.last_name].filter((part) => part !== undefined).join(" "),
        ...(from.username === undefined ? {} : { username: from.username }),
        ...(command && code === undefined ? { command: "pair" } : {}),
      },
    },
    file,
    isPrivate: chat.type === "private",
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
  const other = document ?? audio ?? video ?? voice;
  if (!other) return null;
  const name = "file_name" in other ? other.file_name : undefined;
  return { fileId: other.file_id, name: name ?? `file-${message_id}`, type: other.mime_type, size: other.file_size };
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

/** Conversion of an event into a message for an agent, or a reaction. Pure. */
import type { InboundMessage } from "../../protocol/agents/channel.ts";
import type { DataMessage, ReceivedEvent, RemoteFile } from "./envelope.ts";

/** Our own account: its uuid is known once the daemon has told it. */
export type OwnAccount = { number: string; uuid: string | null };

/** The room of a message as signal-cli names it. */
export type Room = { groupId: string } | { recipient: string };

export type Incoming =
  | {
      kind: "message";
      message: InboundMessage;
      files: RemoteFile[];
      room: Room;
      /** As signal-cli names them, and when it was sent: that is how a message is named. */
      author: string;
      timestamp: number;
      /** Whether it is said to us: in a group only what mentions us is. */
      isForUs: boolean;
    }
  | { kind: "reaction"; userId: string; emoji: string; isOnOurs: boolean; targetTimestamp: number }
  /** Nothing for an agent. */
  | { kind: "other" };

const longestQuote = 2000;

/** @param isNamed whether the settings or a pairing name somebody so: by their number, where they do */
export function incomingOf({ envelope }: ReceivedEvent, own: OwnAccount, isNamed: (id: string) => boolean): Incoming {
  const { sourceNumber, sourceUuid, sourceName, dataMessage } = envelope ?? {};
  const author = sourceUuid ?? sourceNumber;
  if (!dataMessage || !author || isOwn(own, sourceNumber, sourceUuid)) return { kind: "other" };
  const userId = sourceNumber && isNamed(sourceNumber) ? sourceNumber : author;
  const { reaction, groupInfo, timestamp, mentions } = dataMessage;
  if (reaction)
    return reaction.isRemove
      ? { kind: "other" }
      : {
          kind: "reaction",
          userId,
          emoji: reaction.emoji,
          isOnOurs: isOwn(own, reaction.targetAuthorNumber, reaction.targetAuthorUuid),
          targetTimestamp: reaction.targetSentTimestamp,
        };
  const text = textOf(dataMessage, own);
  const files = dataMessage.attachments ?? [];
  if (text === "" && files.length === 0) return { kind: "other" };
  if (dataMessage.remoteDelete || dataMessage.storyContext || groupInfo?.type === "UPDATE") return { kind: "other" };
  const quote = quoteOf(dataMessage);
  const groupId = groupInfo?.groupId;
  return {
    kind: "message",
    message: {
      id: `sig-${author.replace("+", "")}-${timestamp}`,
      text,
      channel: { type: "signal", channelId: groupId ?? userId, userId },
      metadata: {
        timestamp,
        ...(sourceName && { name: sourceName.slice(0, 256) }),
        ...(sourceNumber && { number: sourceNumber }),
        ...(groupId !== undefined && { chat_type: "group" }),
        ...(quote && { quote }),
      },
    },
    files,
    room: groupId === undefined ? { recipient: author } : { groupId },
    author,
    timestamp,
    isForUs: groupId === undefined || (mentions ?? []).some((one) => isOwn(own, one.number, one.uuid)),
  };
}

function isOwn(own: OwnAccount, number: string | null | undefined, uuid: string | null | undefined): boolean {
  return number === own.number || (own.uuid !== null && uuid === own.uuid);
}

/** The text with names where mentions stand. One of us at an end is how we are called, and no part of what is said. */
function textOf(data: DataMessage, own: OwnAccount): string {
  const text = data.message ?? "";
  const mentions = (data.mentions ?? []).toSorted((one, other) => one.start - other.start);
  let named = "";
  let at = 0;
  for (const { start, length, number, uuid } of mentions) {
    if (start < at || start + length > text.length) continue;
    named += text.slice(at, start);
    const isAtEnd = named.trim() === "" || text.slice(start + length).trim() === "";
    if (!isAtEnd || !isOwn(own, number, uuid)) named += `@${number ?? uuid ?? "somebody"}`;
    at = start + length;
  }
  const whole = (named + text.slice(at)).trim() || otherContent(data);
  // Whoever says nothing but our name calls us.
  const isCall = whole === "" && mentions.length > 0 && (data.attachments ?? []).length === 0;
  return isCall ? `@${own.number}` : whole;
}

/** Content that is neither text nor a file, in words: nothing that somebody sends is passed over in silence. */
function otherContent({ sticker, contacts, pollCreate }: DataMessage): string {
  if (sticker) return "[sticker]";
  if (contacts && contacts.length > 0) return "[contact: it can't be read here]";
  return pollCreate ? "[poll: it can't be read here]" : "";
}

function quoteOf({ quote }: DataMessage): Record<string, unknown> | null {
  if (!quote) return null;
  const author = quote.authorNumber ?? quote.authorUuid;
  return { timestamp: quote.id, ...(author && { author }), text: (quote.text ?? "").slice(0, longestQuote) };
}

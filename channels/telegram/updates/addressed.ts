/** Messages of groups that are for the bot: they mention it, answer it, or are commands. Pure. */
import type { Message, MessageEntity } from "grammy/types";
import { bindingCodeIn } from "../../../protocol/agents/binding-code.ts";

/** The bot, as its service knows it. */
export type Bot = { id: number; username: string };

/** @returns the text without the bot's name, which is only how it is spoken to; null: it isn't for the bot */
export function textForBot(message: Message, bot: Bot): string | null {
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const command = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (command) return textOfCommand(text, command, bot);
  const mention = entities.find((entity) => isMention(text, entity, bot));
  if (mention) return withoutMention(text, mention);
  return answers(message, bot) || bindingCodeIn(text) !== null ? text : null;
}

/** Without a name it is for each bot of the group. */
function textOfCommand(text: string, { length }: MessageEntity, { username }: Bot): string | null {
  const [command = "", name] = text.slice(0, length).split("@");
  if (name === undefined) return text;
  return name.toLowerCase() === username.toLowerCase() ? command + text.slice(length) : null;
}

function isMention(text: string, entity: MessageEntity, { id, username }: Bot): boolean {
  if (entity.type === "text_mention") return entity.user.id === id;
  const { type, offset, length } = entity;
  return type === "mention" && text.slice(offset, offset + length).toLowerCase() === `@${username.toLowerCase()}`;
}

/** The text, or the name where nothing else is said. */
function withoutMention(text: string, { offset, length }: MessageEntity): string {
  const before = text.slice(0, offset).trim();
  const behind = text.slice(offset + length);
  const left = before === "" ? behind.replace(/^[\s,:;]{1,20}/, "").trim() : `${before}${behind}`.trim();
  return left === "" ? text : left;
}

/** The message that began a topic of a forum isn't one that somebody answers. */
function answers({ reply_to_message: before }: Message, { id }: Bot): boolean {
  return before?.from?.id === id && before.forum_topic_created === undefined;
}

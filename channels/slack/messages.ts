/** Messages of people, and commands behind a slash, become messages for an agent: of whoever may write, with their files. */
import type { WebClient } from "@slack/web-api";
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import { isBoundRoom } from "../../journal/channels/bound-rooms.ts";
import { noFiles } from "../../journal/channels/known-people.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Attachment, Channel, InboundMessage } from "../../protocol/agents/channel.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { refusesFilesOf } from "../adapter/senders/owners-now.ts";
import { RefusalNotices } from "../adapter/senders/refusal-notices.ts";
import { Senders } from "../adapter/senders/senders.ts";
import type { Typing } from "../adapter/typing.ts";
import type { Order, Said } from "./event.ts";
import { described, fetchFile } from "./fetch-file.ts";
import type { Directory } from "./service/directory.ts";
import { toDeliveryError } from "./service/failures.ts";
import type { Threads } from "./service/threads.ts";
import type { ReadingSigns } from "./signs.ts";
import type { TypingSign } from "./typing.ts";
import { mentionedIn, readableText } from "./text/readable-text.ts";

const notAllowed = "This bot is private: you aren't one of those who may write to it.";
/** Files of a message, and people in it whose names are looked up. */
const mostFiles = 64;
const mostNames = 10;

/** With a code behind it, it is that code that is said, as in other channels. */
const pairPattern = /^\/(?:start|pair)(?: +(\S{1,64}))?$/;

export type MessagesDeps = Pick<AdapterDeps, "journal" | "settings" | "log" | "signal"> & {
  apiUrl: string;
  token: string;
  hasty: WebClient;
  directory: Directory;
  threads: Threads;
  signs: ReadingSigns;
  typing: Typing<TypingSign>;
  agent: AgentSide;
  /** The bot, and the team that it belongs to. */
  bot: () => { userId: string; teamId: string };
};

export class MessageHandler {
  readonly #deps: MessagesDeps;
  readonly #notices = new RefusalNotices();
  readonly #senders: Senders;
  /** Ids of messages that are stored: Slack hands a message over as a mention, too, and again when we are slow. */
  readonly #stored = new Set<string>();

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
    this.#senders = new Senders(deps.journal, "slack", deps.settings.allow);
  }

  /** Resolves when the message is stored, or isn't for an agent. */
  async handleMessage(said: Said): Promise<void> {
    const { journal, agent, directory, signs, threads, typing, bot } = this.#deps;
    const { room, userId, ts, thread, isDirect, isMention } = said;
    const id = idOf(bot().teamId, room, ts);
    if (this.#stored.has(id)) return;
    if (!this.#senders.mayWrite(userId)) return isDirect ? this.#refuse(room, userId) : undefined;
    if (isDirect) directory.noteRoom(userId, room);
    else if (isMention) threads.note(room, thread ?? ts);
    else if (thread === undefined || !(await threads.isOurs(room, thread))) return;
    const replyTo = thread ?? (isDirect ? undefined : ts);
    const channel = placeOf(said, replyTo);
    const attachments = await this.#attachmentsOf(said, channel);
    const metadata = { ts, ...(said.roomType !== undefined && { channel_type: said.roomType }) };
    const message = await this.#messageOf(id, said, channel, metadata);
    const { isRepeated } = await agent.send({ ...message, ...(attachments.length > 0 && { attachments }) });
    this.#noteStored(id);
    if (isRepeated) return;
    signs.show(channel, room, ts);
    // In a room that belongs to a thread people speak to each other.
    if (!isBoundRoom(journal, channel)) typing.begin(id, channel, { room, thread: replyTo ?? ts });
  }

  /** Resolves when the command is stored, with what is said to somebody who may not write. */
  async handleOrder(order: Order): Promise<object | undefined> {
    const { agent, bot } = this.#deps;
    if (!this.#senders.mayWrite(order.userId)) return { text: notAllowed };
    const id = idOf(bot().teamId, order.room, order.trigger);
    const text = `/${order.text === "" ? "help" : order.text.replace(/^\//, "")}`;
    await agent.send(await this.#messageOf(id, { text, files: [] }, placeOf(order, undefined), {}));
    return undefined;
  }

  async #messageOf(
    id: string,
    { text: said, files }: Pick<Said, "text" | "files">,
    channel: Channel & { userId: string },
    facts: Record<string, unknown>,
  ): Promise<InboundMessage> {
    const { bot, directory } = this.#deps;
    const botId = bot().userId;
    const mentioned = mentionedIn(said).filter((one) => one !== botId);
    const people = [...new Set([channel.userId, ...mentioned.slice(0, mostNames)])];
    const found = await Promise.all(people.map(async (one) => [one, await directory.nameOf(one)] as const));
    const names = new Map(found.flatMap(([one, name]) => (name === undefined ? [] : [[one, name] as const])));
    const read = readableText(said, botId, names);
    // Whoever says nothing but the bot's name calls it.
    const isCall = read === "" && files.length === 0;
    const text = isCall ? `@${(await directory.nameOf(botId)) ?? botId}` : read;
    const pair = pairPattern.exec(text);
    const name = names.get(channel.userId);
    const metadata = {
      ...facts,
      ...(name !== undefined && { name }),
      ...(pair && pair[1] === undefined && { command: "pair" }),
    };
    return { id, text: pair?.[1] ?? text, channel, metadata };
  }

  async #attachmentsOf({ files, ts }: Said, channel: Channel): Promise<Attachment[]> {
    const { journal, hasty, apiUrl, token, log, signal } = this.#deps;
    const taken = files.slice(0, mostFiles);
    if (refusesFilesOf(this.#deps.journal, channel))
      return taken.map((file) => ({ ...described(file), problem: noFiles }));
    const rules = attachmentRules(usableSettings(journal).settings);
    const attachments: Attachment[] = [];
    for (const file of taken) {
      const attachment = await fetchFile({ hasty, apiUrl, token, journal, rules, signal }, file);
      if (attachment["problem"] !== undefined) log.warn({ ts, ...attachment }, "a file wasn't stored");
      attachments.push(attachment);
    }
    return attachments;
  }

  /** Best effort, and held up by nothing. */
  #refuse(room: string, userId: string): void {
    const { hasty, log } = this.#deps;
    if (!this.#notices.isDue(userId, Date.now())) return;
    void hasty.chat.postMessage({ channel: room, text: notAllowed }).catch((error: unknown) => {
      log.info({ error: toDeliveryError(error).message }, "a stranger wasn't told");
    });
  }

  #noteStored(id: string): void {
    this.#stored.add(id);
    const [oldest] = this.#stored;
    if (this.#stored.size > 5000 && oldest !== undefined) this.#stored.delete(oldest);
  }
}

/** One of a message, whichever event brings it. */
const idOf = (team: string, room: string, ts: string) =>
  `slack-${team}-${room}-${ts.replaceAll(/[^A-Za-z0-9]/g, "-")}`.slice(0, 128);

/** The room with the bot alone is named as the person is: so an owner can be written to first. */
const placeOf = ({ room, userId, isDirect }: Said | Order, replyTo: string | undefined) => ({
  type: "slack",
  channelId: isDirect ? userId : room,
  userId,
  ...(replyTo === undefined ? {} : { replyTo }),
});

/** Intake of what channels send: a message for its agent, a receipt, a decision. It is kept before it is acknowledged. */
import { publishToWorkspace } from "../bus/agents/channels.ts";
import type { Inbound } from "../bus/agents/inbound.ts";
import { mayPass } from "../bus/connection/leader.ts";
import { visibleLine } from "../conversation/marks/plain-text.ts";
import { z } from "zod";
import { bindingCodeIn } from "../protocol/agents/binding-code.ts";
import { channelTypes, QueueMode } from "../protocol/agents/agents-settings.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import { type Channel, type InboundMessage, type MessageSubject, noticeOf } from "../protocol/agents/channel.ts";
import { itemIdOf } from "../protocol/agents/message-place.ts";
import { saidAnswerIn } from "../protocol/agents/said-answers.ts";
import { asksToPair, saidOrderIn } from "../protocol/agents/said-commands.ts";
import { personaNamePattern } from "../protocol/names/names.ts";
import { isBoundRoom } from "../journal/channels/bound-rooms.ts";
import { noFiles, isStranger } from "../journal/channels/known-people.ts";
import { agentIdOf, type AgentKey } from "./record/agent-id.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { whyNoPersona } from "./inbox/known-personas.ts";
import type { AgentDeps } from "./record/agent-deps.ts";
import type { ServiceParts } from "./service-deps.ts";
import { attachmentRules } from "../journal/attachments/take-attachments.ts";
import { takeFiles } from "./inbox/take-files.ts";
import { routeToAgent, identityOf, isOwner, isTrustedChannel } from "./inbox/access.ts";
import { carryOut } from "./said-commands.ts";
import { editMessage } from "./edited-messages.ts";
import { takeBack } from "./waiting-messages.ts";
import { answerInWords } from "./permissions/said-answer.ts";
import { handleDecision } from "./permissions/decisions.ts";
import { strangerLimits } from "./inbox/stranger-limits.ts";

/**
 * Metadata by which an owner chooses the agent's persona and how the running turn is treated. `verbatim`: the text is for the
 * agent, also where it looks like a command: the terminal and the page have ways of their own for those.
 */
const OwnersWish = z.object({
  persona: z.string().regex(personaNamePattern).optional(),
  mode: QueueMode.optional(),
  verbatim: z.boolean().optional(),
});

const wishIn = (metadata: unknown) => OwnersWish.safeParse(metadata).data ?? {};

const noAgent = (wanted: unknown) =>
  `There is no agent ${visibleLine(typeof wanted === "string" ? wanted : JSON.stringify(wanted)).slice(0, 80)}: see cortex agents list`;

export type IntakeDeps = Pick<AgentDeps, "journal" | "bus" | "settings" | "personas" | "messages" | "log"> &
  Pick<ServiceParts, "directory" | "workers" | "replies" | "owners" | "rooms" | "questions" | "strangers">;

/** Channels by which only our own schedule wakes agents. */
const clocks = ["cron", "heartbeat"];

/** Interval of the log's lines about one unknown type of channel, in ms. */
const logEveryMs = 10 * 60_000;

export class InboundIntake {
  readonly #deps: IntakeDeps;
  readonly #now: () => number;
  /** Times of the last log line about each unknown type of channel. */
  readonly #loggedAt = new Map<string, number>();

  constructor(deps: IntakeDeps, now: () => number = Date.now) {
    this.#deps = deps;
    this.#now = now;
  }

  /** Hands on what a channel sent. Resolves when it is kept. */
  async acceptInbound(inbound: Inbound, ts: number): Promise<void> {
    switch (inbound.kind) {
      case "message":
        return this.#acceptMessage(inbound.message, ts);
      case "receipt":
        return this.#deps.replies.handleReceipt(inbound.id, inbound.receipt);
      case "decision":
        return handleDecision(this.#deps, inbound.token, inbound.decision);
      case "invalid":
        this.#deps.log.warn({ subject: inbound.subject, error: inbound.error }, "what came can't be taken");
    }
  }

  async #acceptMessage(message: InboundMessage, ts: number): Promise<void> {
    const { directory, owners, settings } = this.#deps;
    const { channel, text, metadata } = message;
    if (clocks.includes(channel.type)) return this.#acceptWakeUp(message, ts);
    if (!channelTypes(settings().channels).includes(channel.type)) return this.#logUnknownChannel(message);
    const identity = identityOf(channel);
    if (identity !== null && (await owners.redeemCode(text, identity)))
      return this.#sendNotice(`paired-${message.id}`, channel, "You are known here now, as an owner.");
    const isOfThread = isBoundRoom(this.#deps.journal, channel);
    // What was said in a thread stays as it was.
    if (isOfThread && message.edits !== undefined) return;
    if (isOfThread || bindingCodeIn(text) !== null) return this.#handToWorkspace(message);
    const isUnknown = isStranger(channel, owners.all, settings().channels);
    if (isUnknown && !(await this.#admitStranger(message))) return;
    if (!isUnknown) await this.#noteRoom(channel);
    const isPairing = metadata?.["command"] === "pair" || (!isTrustedChannel(channel) && asksToPair(text));
    if (isPairing) return this.#askToPair(message);
    const sent = isUnknown ? this.#filesOfStranger(message) : message.attachments;
    const attachments = sent && (await takeFiles(this.#deps.journal, sent, attachmentRules(settings())));
    const { agent: wanted, ...more } = (isTrustedChannel(channel) && metadata) || {};
    const named = typeof wanted === "string" ? directory.get(wanted) : undefined;
    if (wanted !== undefined && wanted !== null && !named)
      return this.#sendNotice(`no-agent-${message.id}`, channel, noAgent(wanted));
    const wish = wishIn(more);
    const why = named || wish.persona === undefined ? null : whyNoPersona(wish.persona, this.#deps.personas);
    if (why !== null) return this.#sendNotice(`no-persona-${message.id}`, channel, why);
    const { key } = routeToAgent(channel, owners.all, settings().agents, wish.persona);
    const agent = named ?? (await directory.findOrCreate(key));
    const said = wish.verbatim || sent?.length ? null : await this.#obey(message, agent);
    const edited = message.edits === undefined ? undefined : itemIdOf({ id: message.edits, channel });
    // A command that was mistyped isn't for the agent.
    if (said !== null && edited !== undefined) await takeBack(agent, edited);
    if (said !== null) return this.#sendNotice(`said-${message.id}`, channel, said, { agent_id: agent.id });
    const item: InboxItem = {
      id: itemIdOf(message),
      ts,
      type: "user",
      text,
      channel,
      ...(wish.mode && { mode: wish.mode }),
      ...(attachments && { attachments }),
    };
    if (edited === undefined) await agent.post(item);
    else await editMessage(agent, edited, item);
  }

  /** The words that answer a command, or an answer to a question. Null: the message is neither. */
  async #obey({ text, channel }: InboundMessage, agent: AgentRecord): Promise<string | null> {
    const { owners, questions } = this.#deps;
    const isOwners = isOwner(channel, owners.all);
    const order = saidOrderIn(text);
    if (order !== null) return carryOut(this.#deps, agent, order, isOwners);
    const answer = isOwners ? saidAnswerIn(text) : null;
    const { type, channelId, userId = channelId } = channel;
    return answer && answerInWords(questions, answer, `${type}:${userId}`);
  }

  /** Notes the room of somebody who is known. No message waits for that list: it only helps to answer elsewhere. */
  async #noteRoom(channel: Channel): Promise<void> {
    const { rooms, log } = this.#deps;
    await rooms.note(channel, this.#now()).catch((error: unknown) => {
      log.warn({ channel: channel.type, err: error }, "a room can't be noted for the agents");
    });
  }

  /** Hands a message of a room that is bound to a thread to that thread; so too the code that binds one. */
  async #handToWorkspace(message: InboundMessage): Promise<void> {
    const { bus, journal, owners, settings, log } = this.#deps;
    const { channel } = message;
    const sent = isStranger(channel, owners.all, settings().channels)
      ? this.#filesOfStranger(message)
      : message.attachments;
    const attachments = sent && (await takeFiles(journal, sent, attachmentRules(settings())));
    const { attachments: _taken, ...said } = message;
    for (;;)
      try {
        return await publishToWorkspace(bus, { ...said, ...(attachments && { attachments }) });
      } catch (error) {
        // Those behind it wait: the order of a conversation is part of it.
        if (!mayPass(error) || bus.connection.isClosed()) throw error;
        log.warn({ err: error, id: message.id }, "a message of a bound room isn't handed on yet");
      }
  }

  /** Whether a stranger's message is read. A repeated one was counted the first time. */
  async #admitStranger(message: InboundMessage): Promise<boolean> {
    const { id, channel } = message;
    const { directory, owners, settings, strangers } = this.#deps;
    const agent = directory.get(agentIdOf(routeToAgent(channel, owners.all, settings().agents).key));
    if (agent?.inbox.knows(itemIdOf(message))) return true;
    const { type, channelId, userId = channelId } = channel;
    const tokens = directory.tokensOfStrangers(type, userId);
    // Whoever writes in ten threads is one person.
    const isNew = directory.agentsFor(type, channelId, userId).length === 0;
    const admission = await strangers.admit({ identity: `${type}:${userId}`, isNew, tokens });
    if (!admission.isAdmitted && admission.notice !== null)
      await this.#sendNotice(`limit-${id}`, channel, admission.notice);
    return admission.isAdmitted;
  }

  /** The files of a stranger's message, as far as they are taken. */
  #filesOfStranger({ attachments }: InboundMessage): InboundMessage["attachments"] {
    if (strangerLimits(this.#deps.settings().agents?.strangers).files) return attachments;
    return attachments?.map(({ path: _path, data: _data, id: _id, ...rest }) => ({ problem: noFiles, ...rest }));
  }

  async #acceptWakeUp({ id, text, channel }: InboundMessage, ts: number): Promise<void> {
    const key: AgentKey =
      channel.type === "heartbeat" ? { kind: "heartbeat" } : { kind: "cron", name: channel.channelId };
    const agent = await this.#deps.directory.findOrCreate(key);
    await agent.post({ id: `${channel.type}:${id}`, ts, type: "system", origin: channel.type, text });
  }

  /** Logs, now and then, that a channel isn't declared: no adapter would read an answer there. */
  #logUnknownChannel({ id, channel }: InboundMessage): void {
    const last = this.#loggedAt.get(channel.type);
    if (last !== undefined && this.#now() - last < logEveryMs) return;
    this.#loggedAt.set(channel.type, this.#now());
    this.#deps.log.warn({ channel, id }, 'a message of an unknown channel: declare it in cortex.json, "channels"');
  }

  async #askToPair({ id, channel }: InboundMessage): Promise<void> {
    const identity = identityOf(channel);
    const text =
      identity === null
        ? "This channel doesn't say who you are, so nobody can be an owner here."
        : `To be known here as an owner, type on the machine: cortex pair ${this.#deps.owners.codeFor(identity)}`;
    await this.#sendNotice(`pair-${id}`, channel, text);
  }

  async #sendNotice(id: string, channel: Channel, text: string, about?: MessageSubject): Promise<void> {
    const token = id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 128);
    await this.#deps.messages.sendReply(noticeOf(token, channel, text, about));
  }
}

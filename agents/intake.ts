/** What comes from channels finds its agent: a message, a receipt, a decision. Kept there before it is acknowledged. */
import type { Inbound } from "../bus/agents/inbound.ts";
import { visibleLine } from "../conversation/plain-text.ts";
import type { Logger } from "../proc/logging/log.ts";
import { z } from "zod";
import { channelTypes, QueueMode } from "../protocol/agents/agents-settings.ts";
import type { Channel, InboundMessage } from "../protocol/agents/channel.ts";
import { personaNamePattern } from "../protocol/names/names.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import { noFiles, isStranger } from "../journal/channels/known-people.ts";
import { agentIdOf, type AgentKey } from "./agent-id.ts";
import type { Directory } from "./directory.ts";
import { type KnownPersonas, whyNoPersona } from "./known-personas.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Owners } from "./owners.ts";
import type { Permissions } from "./permissions.ts";
import { agentFor, identityOf, isOwnWord } from "./speaker.ts";
import { strangerLimits, type Strangers } from "./strangers.ts";

/** What the owner may wish of the agent that a message is for: its persona, and what is to become of the running turn. */
const Wish = z.object({
  persona: z.string().regex(personaNamePattern).optional(),
  mode: QueueMode.optional(),
});

const wishIn = (metadata: unknown) => Wish.safeParse(metadata).data ?? {};

const noAgent = (wanted: unknown) =>
  `There is no agent ${visibleLine(typeof wanted === "string" ? wanted : JSON.stringify(wanted)).slice(0, 80)}: see cortex agents list`;

export type IntakeParts = {
  directory: Directory;
  outgoing: Outgoing;
  owners: Owners;
  permissions: Permissions;
  settings: () => Settings;
  personas: KnownPersonas;
  strangers: Strangers;
  log: Logger;
};

/** What the clock says to agents of their own: only our own schedule may. */
const clocks = ["cron", "heartbeat"];

/** That a type of channel is refused is said once in so long, in ms. */
const noticeEveryMs = 10 * 60_000;

export class Intake {
  readonly #parts: IntakeParts;
  readonly #now: () => number;
  /** When each type of channel was refused last. */
  readonly #noticed = new Map<string, number>();

  constructor(parts: IntakeParts, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Resolves when it is kept. */
  async take(inbound: Inbound, ts: number): Promise<void> {
    switch (inbound.kind) {
      case "message":
        return this.#message(inbound.message, ts);
      case "receipt":
        return this.#parts.outgoing.receipt(inbound.id, inbound.receipt);
      case "decision":
        return this.#parts.permissions.decide(inbound.token, inbound.decision);
      case "invalid":
        this.#parts.log.warn({ subject: inbound.subject, error: inbound.error }, "what came can't be taken");
    }
  }

  async #message(message: InboundMessage, ts: number): Promise<void> {
    const { directory, owners, settings } = this.#parts;
    const { channel, text, metadata } = message;
    if (clocks.includes(channel.type)) return this.#woken(message, ts);
    if (!channelTypes(settings().channels).includes(channel.type)) return this.#refuse(message);
    const identity = identityOf(channel);
    if (identity !== null && (await owners.isOffered(text, identity)))
      return this.#say(`paired-${message.id}`, channel, "You are known here now, as an owner.");
    const isUnknown = isStranger(channel, owners.all, settings().channels);
    if (isUnknown && !(await this.#admit(message))) return;
    if (metadata?.["command"] === "pair") return this.#askToPair(message);
    const attachments = isUnknown ? this.#ofStranger(message) : message.attachments;
    const { agent: wanted, ...more } = (isOwnWord(channel) && metadata) || {};
    const named = typeof wanted === "string" ? directory.get(wanted) : undefined;
    if (wanted !== undefined && wanted !== null && !named)
      return this.#say(`no-agent-${message.id}`, channel, noAgent(wanted));
    const wish = wishIn(more);
    const why = named || wish.persona === undefined ? null : whyNoPersona(wish.persona, this.#parts.personas);
    if (why !== null) return this.#say(`no-persona-${message.id}`, channel, why);
    const { key } = agentFor(channel, owners.all, settings().agents, wish.persona);
    const agent = named ?? (await directory.find(key));
    await agent.post({
      id: `${channel.type}:${message.id}`,
      ts,
      type: "user",
      text,
      channel,
      ...(wish.mode && { mode: wish.mode }),
      ...(attachments && { attachments }),
    });
  }

  /** Whether a stranger's message is read. One that came before was counted then. */
  async #admit({ id, channel }: InboundMessage): Promise<boolean> {
    const { directory, owners, settings, strangers } = this.#parts;
    const agent = directory.get(agentIdOf(agentFor(channel, owners.all, settings().agents).key));
    if (agent?.inbox.knows(`${channel.type}:${id}`)) return true;
    const { type, channelId, userId = channelId } = channel;
    const tokens = directory.tokensOfStrangers(type, userId);
    const admission = await strangers.admit({ identity: `${type}:${userId}`, isNew: !agent, tokens });
    if (!admission.isAdmitted && admission.notice !== null) await this.#say(`limit-${id}`, channel, admission.notice);
    return admission.isAdmitted;
  }

  /** The files of a stranger's message, as far as they are taken. */
  #ofStranger({ attachments }: InboundMessage): InboundMessage["attachments"] {
    if (strangerLimits(this.#parts.settings().agents?.strangers).files) return attachments;
    return attachments?.map(({ path: _path, ...rest }) => ({ problem: noFiles, ...rest }));
  }

  async #woken({ id, text, channel }: InboundMessage, ts: number): Promise<void> {
    const key: AgentKey =
      channel.type === "heartbeat" ? { kind: "heartbeat" } : { kind: "cron", name: channel.channelId };
    const agent = await this.#parts.directory.find(key);
    await agent.post({ id: `${channel.type}:${id}`, ts, type: "system", origin: channel.type, text });
  }

  /** A channel that nobody has declared: no adapter reads what would be said there, so the log says it, not each time. */
  #refuse({ id, channel }: InboundMessage): void {
    const last = this.#noticed.get(channel.type);
    if (last !== undefined && this.#now() - last < noticeEveryMs) return;
    this.#noticed.set(channel.type, this.#now());
    this.#parts.log.warn({ channel, id }, 'a message of an unknown channel: declare it in cortex.json, "channels"');
  }

  async #askToPair({ id, channel }: InboundMessage): Promise<void> {
    const identity = identityOf(channel);
    const text =
      identity === null
        ? "This channel doesn't say who you are: nobody can be known here as an owner."
        : `To be known here as an owner, type on the machine: cortex pair ${this.#parts.owners.ask(identity)}`;
    await this.#say(`pair-${id}`, channel, text);
  }

  async #say(id: string, channel: Channel, text: string): Promise<void> {
    await this.#parts.outgoing.send({ id: id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 128), channel, text });
  }
}

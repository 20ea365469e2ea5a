/**
 * What goes out to people: stored once, then delivered by its channel's adapter. Whether it was is told to the agent that
 * said it only where it wasn't, or where nobody knows.
 */
import { publishOutbound } from "../bus/agents/channels.ts";
import type { Bus } from "../bus/connection/connect.ts";
import { OutstandingReplies } from "../journal/agents/outstanding-replies.ts";
import { reached } from "../proc/programs/durable-point.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import type { OutboundMessage, Receipt } from "../protocol/agents/channel.ts";

/** From the contract: after so long without a receipt nobody knows. */
const receiptMs = 30_000;

export type OutgoingParts = {
  journal: string;
  bus: Bus;
  log: Logger;
  post: (agentId: string, item: InboxItem) => Promise<void>;
};

export class Outgoing implements Disposable {
  readonly #parts: OutgoingParts;
  /** What waits for its receipt. */
  readonly #outstanding: OutstandingReplies;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
    this.#outstanding = new OutstandingReplies(parts.journal);
    // From now on: what was confirmed while nobody listened has yet to be read.
    for (const { id } of this.#outstanding.all) this.#await(id);
  }

  /** Stores a message for its channel. The same id again changes nothing. */
  async send(message: OutboundMessage): Promise<void> {
    const { id, agent_id, channel, text } = message;
    const wasOutstanding = this.#outstanding.get(id) !== undefined;
    await this.#outstanding.add({
      id,
      ts: Date.now(),
      channel,
      text: text.slice(0, 200),
      ...(agent_id && { agent_id }),
    });
    const isNew = await publishOutbound(this.#parts.bus, message);
    reached("reply stored");
    if (isNew || wasOutstanding) this.#await(id);
    else await this.#done(id); // sent before, and settled
  }

  /** An adapter has said what became of it. */
  async receipt(id: string, { ok, error = "", unknown = false }: Receipt): Promise<void> {
    const one = this.#outstanding.get(id);
    if (!one) return;
    if (!ok) {
      this.#parts.log.warn({ id, channel: one.channel, error, unknown }, "a message wasn't delivered");
      const what = unknown ? "Nobody knows whether this was delivered; it isn't sent again" : "This wasn't delivered";
      await this.#notice(one, `${what} (${error}): "${one.text}"`);
    }
    await this.#done(id);
  }

  #await(id: string): void {
    if (this.#timers.has(id)) return;
    const timer = setTimeout(() => void this.#late(id), receiptMs);
    this.#timers.set(id, timer.unref());
  }

  async #late(id: string): Promise<void> {
    const one = this.#outstanding.get(id);
    if (!one) return;
    try {
      const { type } = one.channel;
      this.#parts.log.warn(
        { id, channel: one.channel },
        "no receipt for a message: whether it was delivered is unknown",
      );
      await this.#notice(
        one,
        `The channel ${type} hasn't said within ${receiptMs / 1000} s whether this was delivered; it isn't sent again by itself: "${one.text}"`,
      );
      await this.#done(id);
    } catch (error) {
      this.#parts.log.error({ id, err: error }, "what became of a message couldn't be told");
    }
  }

  async #notice({ id, agent_id }: { id: string; agent_id?: string | undefined }, text: string): Promise<void> {
    if (agent_id === undefined) return;
    const item: InboxItem = {
      id: `receipt-${id}`,
      ts: Date.now(),
      type: "system",
      silent: true,
      origin: "channels",
      text,
    };
    await this.#parts.post(agent_id, item);
  }

  async #done(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    await this.#outstanding.settle(id);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#outstanding[Symbol.dispose]();
  }
}

/**
 * Replies to people: each stored once, then delivered by its channel's adapter. The agent that sent one hears of its delivery
 * only where it failed, or where nobody knows.
 */
import { publishOutbound } from "../../bus/agents/channels.ts";
import { OutstandingReplies } from "../../journal/agents/outstanding-replies.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import { isNotice, type OutboundMessage, type Receipt } from "../../protocol/agents/channel.ts";
import type { AgentDeps } from "../record/agent-deps.ts";

/** From docs/contract.md: after so long without a receipt nobody knows. */
const receiptMs = 30_000;

/** The channel whose replies wait until somebody opens it. */
const terminals = "cli";

type ReplyDeps = Pick<AgentDeps, "journal" | "bus" | "log" | "messages">;

export class SentReplies implements Disposable {
  readonly #deps: ReplyDeps;
  /** The messages that wait for their receipt. */
  readonly #outstanding: OutstandingReplies;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(deps: ReplyDeps) {
    this.#deps = deps;
    this.#outstanding = new OutstandingReplies(deps.journal);
    // From now on: what was confirmed while nobody listened has yet to be read.
    for (const { id } of this.#outstanding.all) this.#awaitReceipt(id);
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
      // An agent hears of what it said itself.
      ...(agent_id && !isNotice(message) && { agent_id }),
    });
    const isNew = await publishOutbound(this.#deps.bus, message);
    failpoint("reply-stored");
    if (isNew || wasOutstanding) this.#awaitReceipt(id);
    else await this.#settleReply(id); // sent before, and settled
  }

  /** Takes what an adapter says of the delivery of a message. */
  async handleReceipt(id: string, { ok, error = "", unknown = false }: Receipt): Promise<void> {
    const one = this.#outstanding.get(id);
    if (!one) return ok ? undefined : this.#tellLost(id, error);
    if (!ok) {
      this.#deps.log.warn({ id, channel: one.channel, error, unknown }, "a message wasn't delivered");
      const what = unknown ? "Nobody knows whether this was delivered; it isn't sent again" : "This wasn't delivered";
      await this.#postNotice(one, `${what} (${error}): "${one.text}"`);
    }
    await this.#settleReply(id, ok);
  }

  /** Tells of a message that had arrived, as far as its service knew, and was lost all the same. */
  async #tellLost(id: string, error: string): Promise<void> {
    const one = this.#outstanding.delivered(id);
    if (!one) return;
    this.#deps.log.warn({ id, channel: one.channel, error }, "a message was accepted, and wasn't delivered");
    await this.#postNotice(one, `This wasn't delivered after all (${error}): "${one.text}"`);
    await this.#settleReply(id);
  }

  #awaitReceipt(id: string): void {
    if (this.#timers.has(id)) return;
    const timer = setTimeout(() => void this.#expireReceipt(id), receiptMs);
    this.#timers.set(id, timer.unref());
  }

  async #expireReceipt(id: string): Promise<void> {
    const one = this.#outstanding.get(id);
    if (!one) return;
    try {
      const { type } = one.channel;
      this.#deps.log.warn(
        { id, channel: one.channel },
        "no receipt for a message: whether it was delivered is unknown",
      );
      const why =
        type === terminals
          ? "No terminal is open: this is shown when one opens, don't say it again"
          : `The channel ${type} hasn't said within ${receiptMs / 1000} s whether this was delivered; it isn't sent again by itself`;
      await this.#postNotice(one, `${why}: "${one.text}"`);
      await this.#settleReply(id);
    } catch (error) {
      this.#deps.log.error({ id, err: error }, "what became of a message couldn't be told");
    }
  }

  async #postNotice({ id, agent_id }: { id: string; agent_id?: string | undefined }, text: string): Promise<void> {
    if (agent_id === undefined) return;
    const item: InboxItem = {
      id: `receipt-${id}`,
      ts: Date.now(),
      type: "system",
      silent: true,
      origin: "channels",
      text,
    };
    await this.#deps.messages.post(agent_id, item);
  }

  async #settleReply(id: string, isDelivered = false): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    await this.#outstanding.settleReply(id, isDelivered);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#outstanding[Symbol.dispose]();
  }
}

/**
 * Dispatcher of a channel's outbox: delivers one message after the other, each with a limit of time and noted before and after,
 * and reports its outcome to its sender. Killed at any line, nothing goes out twice, and nothing is lost unreported.
 */
import { setTimeout as delay } from "node:timers/promises";
import { lastOutbound, type Outbound, storedOutbound } from "../../bus/agents/channels.ts";
import { publishReceipt } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { MessageDelivery, Outbox, DeliveryOutcome } from "../../journal/channels/outbox.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import type { ChannelAdapter } from "./adapter.ts";
import { PermanentDeliveryError, RetryableDeliveryError } from "./delivery-errors.ts";
import { outcomeOfPart, receiptOf, sentAs, textOf } from "./delivery-outcome.ts";

/** In ms. */
export type DeliveryLimits = {
  /** Time that the adapter may take for a part. */
  withinMs: number;
  /** Pause before a delivery that surely failed is tried again; twice as long each time. */
  pauseMs: number;
  /** Longest pause: a service that asks for a longer one refuses the message. */
  longestPauseMs: number;
  tries: number;
};

export const usualLimits: DeliveryLimits = { withinMs: 60_000, pauseMs: 1000, longestPauseMs: 120_000, tries: 5 };

/** Pause before the next try while the bus is away, or has no streams yet, in ms. */
const retryMs = 1000;

export type DispatcherDeps = {
  adapter: ChannelAdapter;
  bus: Bus;
  outbox: Outbox;
  log: Logger;
  limits: DeliveryLimits;
  signal: AbortSignal;
};

export class OutboxDispatcher {
  readonly #deps: DispatcherDeps;
  readonly #stopped: Promise<void>;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#stopped = new Promise((resolve) => deps.signal.addEventListener("abort", () => resolve()));
  }

  /** Reports what a former process left; a message that was on its way then is `unknown`. */
  async reportLeftovers(): Promise<void> {
    for (const delivery of this.#deps.outbox.untold)
      if (delivery.isUnderWay || delivery.outcome)
        await this.#retryWhileAway(() =>
          this.#reportOutcome(delivery.id, delivery.position, () => this.#outcomeOf(delivery)),
        );
  }

  /** Delivers the outbound messages, until the signal. */
  async dispatchAll(): Promise<void> {
    const { adapter, bus, outbox, signal } = this.#deps;
    let reading = new AbortController();
    bus.onReconnect(() => reading.abort());
    while (!signal.aborted) {
      // A bus that comes back may be one that has lost its store, and counts from the begin.
      reading = new AbortController();
      const compared = this.#retryWhileAway(async () => {
        if (outbox.position > (await lastOutbound(bus, adapter.type))) await outbox.beginAnew();
      });
      // Where there are no streams yet, no answer comes for a while.
      await Promise.race([compared, this.#stopped]);
      if (signal.aborted) return;
      const stored = storedOutbound(bus, adapter.type, outbox.position + 1, AbortSignal.any([signal, reading.signal]));
      for await (const outbound of stored) {
        await this.#dispatch(outbound);
        if (signal.aborted) return;
      }
    }
  }

  async #dispatch({ position, message }: Outbound): Promise<void> {
    const known = this.#deps.outbox.delivery(message.id);
    const outcome =
      known?.outcome ?? (known?.isUnderWay ? this.#outcomeOf(known) : await this.#deliver(position, message));
    if (outcome) await this.#retryWhileAway(() => this.#reportOutcome(message.id, position, () => outcome));
  }

  #outcomeOf({ outcome }: MessageDelivery): DeliveryOutcome {
    return outcome ?? { state: "unknown", error: "the adapter ended while it was on its way" };
  }

  /** Reports the outcome of a delivery to the outbox and to the sender. The bus drops a repeated receipt. */
  async #reportOutcome(id: string, position: number, end: () => DeliveryOutcome): Promise<void> {
    const { adapter, bus, outbox, log } = this.#deps;
    const outcome = end();
    if (!outbox.delivery(id)?.outcome) {
      await outbox.ended(id, outcome);
      if (outcome.state !== "sent")
        log.warn({ id, state: outcome.state, error: outcome.error }, `${adapter.type}: a message wasn't delivered`);
      failpoint("delivery-noted");
    }
    await publishReceipt(bus, id, receiptOf(outcome));
    await outbox.told(id, position);
  }

  /** Delivers the parts that are left. Null: stopped, and the rest may go out later. */
  async #deliver(position: number, message: OutboundMessage): Promise<DeliveryOutcome | null> {
    const { adapter, outbox, signal } = this.#deps;
    const parts = adapter.split?.(message) ?? [message];
    for (let part = outbox.delivery(message.id)?.arrived.length ?? 0; part < parts.length; part++) {
      if (signal.aborted) return null;
      const delivered = await this.#deliverPart(message.id, position, part, parts[part] ?? message);
      if (delivered === null) return null;
      if ("state" in delivered) return part === 0 ? delivered : outcomeOfPart(delivered, part, parts.length);
      if (part + 1 === parts.length)
        return sentAs([...(outbox.delivery(message.id)?.arrived ?? []), delivered.external_id]);
      await outbox.partArrived(message.id, part, delivered.external_id);
      failpoint("delivery-noted");
    }
    return sentAs(outbox.delivery(message.id)?.arrived ?? []);
  }

  async #deliverPart(
    id: string,
    position: number,
    part: number,
    message: OutboundMessage,
  ): Promise<{ external_id?: string } | DeliveryOutcome | null> {
    const { outbox, limits, log, signal } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      await outbox.prepared(id, position, part);
      failpoint("delivery-prepared");
      try {
        const delivered = await this.#withinTime(message);
        failpoint("delivered");
        return delivered;
      } catch (error) {
        const text = textOf(error);
        if (error instanceof PermanentDeliveryError) return { state: "failed", error: text };
        if (!(error instanceof RetryableDeliveryError)) return { state: "unknown", error: text };
        await outbox.postponed(id);
        const pauseMs = Math.max(error.afterMs ?? 0, limits.pauseMs * 2 ** (attempt - 1));
        if (attempt === limits.tries) return { state: "failed", error: `${text}, ${attempt} times` };
        if (pauseMs > limits.longestPauseMs)
          return { state: "failed", error: `${text}, and asks to wait for ${Math.ceil(pauseMs / 1000)} s` };
        log.info({ id, error: text, attempt, pause_ms: pauseMs }, "not now: it is tried again");
        await delay(pauseMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) return null;
      }
    }
  }

  /** Delivers within the limit of time: an adapter that hangs holds up this message alone. */
  async #withinTime(message: OutboundMessage): Promise<{ external_id?: string }> {
    const { adapter, limits } = this.#deps;
    const givenUp = new AbortController();
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      givenUp.abort();
      limit.reject(new Error(`no answer within ${limits.withinMs / 1000} s`));
    }, limits.withinMs);
    try {
      // A bug that throws at once is a delivery that failed, too.
      const delivering = (async () => adapter.deliver(message, givenUp.signal))();
      return await Promise.race([delivering, limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Repeats work until it succeeds or, tried once, everything stops: while the bus is away, nothing is delivered and nothing lost. */
  async #retryWhileAway(work: () => Promise<void>): Promise<void> {
    const { bus, log, signal } = this.#deps;
    let logged = "";
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (bus.connection.isClosed()) throw error;
        if (signal.aborted) return;
        if (logged !== textOf(error))
          log.warn({ err: error }, "the bus doesn't answer, or has no streams yet; asking again");
        logged = textOf(error);
        await delay(retryMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}

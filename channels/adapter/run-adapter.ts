/**
 * Carries an adapter: what goes out is delivered one after the other, each with a limit of time and noted before and after,
 * and its sender is told what became of it. Killed at whatever line, nothing goes out twice, and nothing is lost unsaid.
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../files/error-message.ts";
import { lastOutbound, type Outbound, storedOutbound } from "../../bus/agents/channels.ts";
import { publishDecision, publishInbound, publishReceipt } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { Delivery, Outbox, Outcome } from "../../journal/channels/outbox.ts";
import { reached } from "../../proc/programs/durable-point.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { OutboundMessage, Receipt } from "../../protocol/agents/channel.ts";
import type { ChannelAdapter } from "./adapter.ts";
import { NotNowError, RefusedError } from "./delivery-errors.ts";

/** In ms. */
export type DeliveryLimits = {
  /** How long the adapter may take for a part. */
  withinMs: number;
  /** Before what surely didn't arrive is tried again: this long, then twice as long each time. */
  pauseMs: number;
  /** Whoever asks us to wait longer refuses us. */
  longestPauseMs: number;
  tries: number;
};

export const usualLimits: DeliveryLimits = { withinMs: 60_000, pauseMs: 1000, longestPauseMs: 120_000, tries: 4 };

export type CarriedAdapter = {
  adapter: ChannelAdapter;
  bus: Bus;
  outbox: Outbox;
  log: Logger;
  limits?: DeliveryLimits;
  /** Called when it takes messages in. */
  onReady: (started: { url?: string }) => Promise<void>;
  signal: AbortSignal;
};

/** How often it is looked whether there are streams yet, and the like. */
const againMs = 1000;

/**
 * Runs an adapter until the signal.
 * @throws what it gave up with, or what kept it from starting
 */
export async function runAdapter({ limits = usualLimits, ...parts }: CarriedAdapter): Promise<void> {
  const { adapter, bus, onReady, signal } = parts;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const carrier = new Carrier({ ...parts, limits, signal: until });
  const { url } = await adapter.start({
    send: async (message) => ({ isRepeated: !(await publishInbound(bus, message)) }),
    decide: async (token, decision) => void (await publishDecision(bus, token, decision)),
    giveUp: (error) => over.abort(error),
  });
  try {
    await onReady(url === undefined ? {} : { url });
    await carrier.settle();
    await carrier.follow();
    if (over.signal.aborted) throw over.signal.reason;
  } finally {
    await adapter.stop();
  }
}

type CarrierParts = Omit<CarriedAdapter, "onReady"> & { limits: DeliveryLimits };

class Carrier {
  readonly #parts: CarrierParts;
  readonly #stopped: Promise<void>;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
    this.#stopped = new Promise((resolve) => parts.signal.addEventListener("abort", () => resolve()));
  }

  /** What a former process left: of what was on its way nobody can say whether it arrived. */
  async settle(): Promise<void> {
    for (const delivery of this.#parts.outbox.untold)
      if (delivery.isUnderWay || delivery.outcome)
        await this.#again(() => this.#tell(delivery.id, delivery.position, () => this.#endOf(delivery)));
  }

  /** Delivers what goes out, until the signal. */
  async follow(): Promise<void> {
    const { adapter, bus, outbox, signal } = this.#parts;
    let looking = new AbortController();
    bus.onReconnect(() => looking.abort());
    while (!signal.aborted) {
      // A bus that comes back may be one that has lost its store, and counts from the begin.
      looking = new AbortController();
      const compared = this.#again(async () => {
        if (outbox.position > (await lastOutbound(bus, adapter.type))) await outbox.beginAnew();
      });
      // Where there are no streams yet, no answer comes for a while.
      await Promise.race([compared, this.#stopped]);
      if (signal.aborted) return;
      const stored = storedOutbound(bus, adapter.type, outbox.position + 1, AbortSignal.any([signal, looking.signal]));
      for await (const outbound of stored) {
        await this.#take(outbound);
        if (signal.aborted) return;
      }
    }
  }

  async #take({ position, message }: Outbound): Promise<void> {
    const known = this.#parts.outbox.delivery(message.id);
    const outcome = known?.outcome ?? (known?.isUnderWay ? this.#endOf(known) : await this.#deliver(position, message));
    if (outcome) await this.#again(() => this.#tell(message.id, position, () => outcome));
  }

  #endOf({ outcome }: Delivery): Outcome {
    return outcome ?? { state: "unknown", error: "the adapter ended while it was on its way" };
  }

  /** Says what became of a message: to the outbox, and to its sender. The same receipt again is dropped by the bus. */
  async #tell(id: string, position: number, end: () => Outcome): Promise<void> {
    const { adapter, bus, outbox, log } = this.#parts;
    const outcome = end();
    if (!outbox.delivery(id)?.outcome) {
      await outbox.ended(id, outcome);
      if (outcome.state !== "sent")
        log.warn({ id, state: outcome.state, error: outcome.error }, `${adapter.type}: a message wasn't delivered`);
      reached("delivery noted");
    }
    await publishReceipt(bus, id, receiptOf(outcome));
    await outbox.told(id, position);
  }

  /** Takes the parts that are left out. Null: it is to stop, and what is left may go out later. */
  async #deliver(position: number, message: OutboundMessage): Promise<Outcome | null> {
    const { adapter, outbox, signal } = this.#parts;
    const parts = adapter.split?.(message) ?? [message];
    for (let part = outbox.delivery(message.id)?.arrived.length ?? 0; part < parts.length; part++) {
      if (signal.aborted) return null;
      const delivered = await this.#deliverPart(message.id, position, part, parts[part] ?? message);
      if (delivered === null) return null;
      if ("state" in delivered) return part === 0 ? delivered : ofPart(delivered, part, parts.length);
      if (part + 1 === parts.length)
        return sent([...(outbox.delivery(message.id)?.arrived ?? []), delivered.external_id]);
      await outbox.partArrived(message.id, part, delivered.external_id);
      reached("delivery noted");
    }
    return sent(outbox.delivery(message.id)?.arrived ?? []);
  }

  async #deliverPart(
    id: string,
    position: number,
    part: number,
    message: OutboundMessage,
  ): Promise<{ external_id?: string } | Outcome | null> {
    const { outbox, limits, log, signal } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      await outbox.prepared(id, position, part);
      reached("delivery prepared");
      try {
        const delivered = await this.#withinTime(message);
        reached("delivered");
        return delivered;
      } catch (error) {
        const text = textOf(error);
        if (error instanceof RefusedError) return { state: "failed", error: text };
        if (!(error instanceof NotNowError)) return { state: "unknown", error: text };
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

  /** An adapter that hangs holds up no more than this message. */
  async #withinTime(message: OutboundMessage): Promise<{ external_id?: string }> {
    const { adapter, limits } = this.#parts;
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

  /** Until it works or, tried once, everything stops: while the bus is away, nothing is delivered, and nothing is forgotten. */
  async #again(work: () => Promise<void>): Promise<void> {
    const { bus, log, signal } = this.#parts;
    let told = "";
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (bus.connection.isClosed()) throw error;
        if (signal.aborted) return;
        if (told !== textOf(error))
          log.warn({ err: error }, "the bus doesn't answer, or has no streams yet; asking again");
        told = textOf(error);
        await delay(againMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}

const textOf = (error: unknown) => messageOf(error).slice(0, maxErrorText);

/** Of a receipt, with some room for what is added to it. */
const maxErrorText = 1500;
const maxExternalId = 256;

/** Of several parts all ids, as long as they have room. */
function sent(externalIds: (string | undefined)[]): Outcome {
  const known = externalIds.filter((id) => id !== undefined);
  const all = known.join(",");
  const external_id = all.length <= maxExternalId ? all : (known[0] ?? "").slice(0, maxExternalId);
  return external_id === "" ? { state: "sent" } : { state: "sent", external_id };
}

function ofPart(outcome: Outcome, part: number, parts: number): Outcome {
  return outcome.state === "sent" ? outcome : { ...outcome, error: `part ${part + 1} of ${parts}: ${outcome.error}` };
}

function receiptOf(outcome: Outcome): Receipt {
  switch (outcome.state) {
    case "sent":
      return { ok: true, ...(outcome.external_id === undefined ? {} : { external_id: outcome.external_id }) };
    case "failed":
      return { ok: false, error: outcome.error };
    case "unknown":
      return { ok: false, unknown: true, error: outcome.error };
  }
}

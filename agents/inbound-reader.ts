/**
 * Reads what comes for agents, a stream of each channel on its own: a channel whose messages wait in great number is left to
 * wait, and no other with it. A message that can't be taken is given up at the third failure, put away, and told to its sender.
 */
import { setTimeout as delay } from "node:timers/promises";
import { formerInbound, formerStream, noPlace } from "../bus/agents/former-inbound.ts";
import { type InboundDelivery, inboundStream, sharedInboundStream, storedInbound } from "../bus/agents/inbound.ts";
import { mayPass } from "../bus/connection/leader.ts";
import { noteTaken, takenAt } from "../bus/agents/taken-ids.ts";
import type { Bus } from "../bus/connection/connect.ts";
import { Quarantine } from "../journal/quarantine/quarantine.ts";
import type { Logger } from "../proc/logging/log.ts";
import { isMachineFault } from "../files/machine-fault.ts";
import type { Channel } from "../protocol/agents/channel.ts";
import type { Directory } from "./directory.ts";
import type { Intake } from "./intake.ts";

/** How much of one channel may wait in all inboxes together before what else comes stays in its stream. */
export const inboxLimits = { items: 5000, bytes: 32 * 1024 * 1024 };

/** How often is looked whether there is room again, in ms. */
const lookMs = 250;

export type InboundReaderParts = {
  journal: string;
  bus: Bus;
  directory: Directory;
  intake: Intake;
  log: Logger;
  say: (id: string, channel: Channel, text: string) => Promise<void>;
  /** It can't be read any more: the program has to end. */
  giveUp: (error: unknown) => void;
  signal: AbortSignal;
};

export class InboundReader {
  readonly #parts: InboundReaderParts;
  readonly #quarantine: Quarantine;
  /** Messages whose taking has thrown in this process: they don't kill it. */
  readonly #thrown = new Set<string>();
  readonly #followed = new Set<string>();
  #former: Promise<void> = Promise.resolve();

  constructor(parts: InboundReaderParts) {
    this.#parts = parts;
    this.#quarantine = new Quarantine(parts.journal, "inbound");
  }

  /** Reads the channels of these types, beside those that it reads already. What the former stream has comes first. */
  follow(types: readonly string[]): void {
    const { bus, signal, giveUp } = this.#parts;
    if (this.#followed.size === 0)
      this.#former = this.#read(formerInbound(bus, signal), null).catch((error: unknown) => giveUp(error));
    for (const type of [null, ...types]) {
      const stream = type === null ? sharedInboundStream : inboundStream(type);
      if (this.#followed.has(stream)) continue;
      this.#followed.add(stream);
      void this.#follow(stream, type);
    }
  }

  async #follow(stream: string, type: string | null): Promise<void> {
    const { bus, signal, giveUp } = this.#parts;
    try {
      await this.#former;
      await this.#read(storedInbound(bus, stream, signal), type);
      if (!signal.aborted) throw new Error(`the bus gives nothing more of ${stream}`);
    } catch (error) {
      giveUp(error);
    }
  }

  /** Takes what comes, one after the other. */
  async #read(deliveries: AsyncGenerator<InboundDelivery>, type: string | null): Promise<void> {
    for await (const delivery of deliveries) {
      const { inbound } = delivery;
      await this.#room(type ?? (inbound.kind === "message" ? inbound.message.channel.type : null));
      if (this.#parts.signal.aborted) return;
      await this.#take(delivery);
    }
  }

  /** Waits until there is room for a message of a channel. */
  async #room(type: string | null): Promise<void> {
    const { directory, log, signal } = this.#parts;
    if (type === null || !isFull(directory, type)) return;
    log.warn({ channel: type, ...inboxLimits }, "as much of this channel waits as may: the rest stays in its stream");
    while (!signal.aborted && isFull(directory, type)) await delay(lookMs, undefined, { signal }).catch(() => {});
  }

  async #take(delivery: InboundDelivery): Promise<void> {
    const { intake, bus, log } = this.#parts;
    const { inbound, ts, stream, streamSeq, deliveries, again } = delivery;
    const key = `${stream} ${streamSeq} ${ts}`;
    // It came before and nobody said that it was taken: perhaps it has killed whoever tried.
    const isNoted = deliveries > 1 && !this.#thrown.has(key);
    if (isNoted && (await this.#failed(key, new Error("taking it in never came to an end"), delivery))) return;
    try {
      if (!(await this.#isRepeated(delivery))) {
        await intake.take(inbound, ts);
        if (inbound.kind === "message")
          await noteTaken(bus, inbound.message.channel.type, inbound.message.id, placeOf(delivery));
      }
    } catch (error) {
      this.#thrown.add(key);
      const isOurFault = isMachineFault(error) || mayPass(error) || bus.connection.isClosed();
      log.error({ stream, seq: streamSeq, err: error }, "what came couldn't be taken in; it comes again");
      if (isOurFault) this.#quarantine.succeeded(key);
      else if (!isNoted && (await this.#failed(key, error, delivery))) return;
      return again();
    }
    this.#thrown.delete(key);
    this.#quarantine.succeeded(key);
    await this.#ack(delivery);
  }

  /** Counts a failure. Whether the message was given up. */
  async #failed(key: string, error: unknown, delivery: InboundDelivery): Promise<boolean> {
    const { log, say } = this.#parts;
    const { inbound, data, stream, streamSeq } = delivery;
    if ((await this.#quarantine.failed(key, error, { bytes: data })) === "retry") return false;
    this.#thrown.delete(key);
    log.error({ stream, seq: streamSeq, err: error }, "a message was put away: see cortex doctor");
    if (inbound.kind === "message")
      await say(`put-away-${streamSeq}-${delivery.ts}`, inbound.message.channel, putAway).catch(() => {});
    await this.#ack(delivery);
    return true;
  }

  /** Whether the same id was taken out of its stream before. */
  async #isRepeated(delivery: InboundDelivery): Promise<boolean> {
    const { inbound, stream } = delivery;
    if (inbound.kind !== "message" || stream === formerStream) return false;
    const before = await takenAt(this.#parts.bus, inbound.message.channel.type, inbound.message.id);
    return before !== null && before !== placeOf(delivery);
  }

  async #ack({ ack }: InboundDelivery): Promise<void> {
    await ack().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, "what was taken in comes again, and is known then"),
    );
  }
}

const putAway = "This message couldn't be taken in, three times. It was put away on the machine where I run.";

const placeOf = ({ stream, streamSeq }: InboundDelivery) => (stream === formerStream ? noPlace : streamSeq);

function isFull(directory: Directory, type: string): boolean {
  const { items, bytes } = directory.waitingFrom(type);
  return items >= inboxLimits.items || bytes >= inboxLimits.bytes;
}

/**
 * Reader of the inbound streams, one for each channel: a channel whose messages wait in great number is left to wait, and no
 * other with it. A message that can't be accepted is put away at the third failure, and its sender is told.
 */
import { setTimeout as delay } from "node:timers/promises";
import { formerInbound, formerStream, noPlace } from "../bus/agents/former-inbound.ts";
import { type InboundDelivery, inboundStream, sharedInboundStream, storedInbound } from "../bus/agents/inbound.ts";
import { mayPass } from "../bus/connection/leader.ts";
import { noteTaken, takenAt } from "../bus/agents/taken-ids.ts";
import { Quarantine } from "../journal/quarantine/quarantine.ts";
import { isMachineFault } from "../files/errors/machine-fault.ts";
import { itemIdOf } from "../protocol/agents/message-place.ts";
import type { AgentDirectory } from "./record/directory.ts";
import type { InboundIntake } from "./intake.ts";
import type { AgentDeps } from "./record/agent-deps.ts";

/** Limits on what waits of one channel in all inboxes together; beyond them messages stay in their stream. */
export const inboxLimits = { items: 5000, bytes: 32 * 1024 * 1024 };

/** Interval of the checks for room, in ms. */
const lookMs = 250;

type InboundReaderDeps = Pick<AgentDeps, "journal" | "bus" | "messages" | "log"> & {
  directory: AgentDirectory;
  intake: InboundIntake;
  /** Ends the program, since a stream can't be read any more. */
  giveUp: (error: unknown) => void;
  signal: AbortSignal;
};

export class InboundReader {
  readonly #deps: InboundReaderDeps;
  readonly #quarantine: Quarantine;
  /** Keys of the messages that have failed in this process without killing it. */
  readonly #thrown = new Set<string>();
  readonly #followed = new Set<string>();
  #formerRead: Promise<void> = Promise.resolve();

  constructor(deps: InboundReaderDeps) {
    this.#deps = deps;
    this.#quarantine = new Quarantine(deps.journal, "inbound");
  }

  /** Reads the channels of these types, beside those that it reads already. What the former stream has comes first. */
  follow(types: readonly string[]): void {
    const { bus, signal, giveUp } = this.#deps;
    if (this.#followed.size === 0)
      this.#formerRead = this.#readDeliveries(formerInbound(bus, signal), null).catch((error: unknown) =>
        giveUp(error),
      );
    for (const type of [null, ...types]) {
      const stream = type === null ? sharedInboundStream : inboundStream(type);
      if (this.#followed.has(stream)) continue;
      this.#followed.add(stream);
      void this.#followStream(stream, type);
    }
  }

  async #followStream(stream: string, type: string | null): Promise<void> {
    const { bus, signal, giveUp } = this.#deps;
    try {
      await this.#formerRead;
      await this.#readDeliveries(storedInbound(bus, stream, signal), type);
      if (!signal.aborted) throw new Error(`the bus gives nothing more of ${stream}`);
    } catch (error) {
      giveUp(error);
    }
  }

  /** Accepts deliveries, one after the other. */
  async #readDeliveries(deliveries: AsyncGenerator<InboundDelivery>, type: string | null): Promise<void> {
    for await (const delivery of deliveries) {
      const { inbound } = delivery;
      await this.#waitForRoom(type ?? (inbound.kind === "message" ? inbound.message.channel.type : null));
      if (this.#deps.signal.aborted) return;
      await this.#acceptDelivery(delivery);
    }
  }

  /** Waits until there is room for a message of a channel. */
  async #waitForRoom(type: string | null): Promise<void> {
    const { directory, log, signal } = this.#deps;
    if (type === null || !isFull(directory, type)) return;
    log.warn({ channel: type, ...inboxLimits }, "as much of this channel waits as may: the rest stays in its stream");
    while (!signal.aborted && isFull(directory, type)) await delay(lookMs, undefined, { signal }).catch(() => {});
  }

  async #acceptDelivery(delivery: InboundDelivery): Promise<void> {
    const { intake, bus, log } = this.#deps;
    const { inbound, ts, stream, streamSeq, deliveries, again } = delivery;
    const key = `${stream} ${streamSeq} ${ts}`;
    // It was delivered before and not acknowledged: perhaps it has killed the process that tried.
    const isNoted = deliveries > 1 && !this.#thrown.has(key);
    if (isNoted && (await this.#countFailure(key, new Error("taking it in never came to an end"), delivery))) return;
    try {
      if (!(await this.#isRepeated(delivery))) {
        await intake.acceptInbound(inbound, ts);
        if (inbound.kind === "message")
          await noteTaken(bus, inbound.message.channel.type, inbound.message.id, placeOf(delivery));
      }
    } catch (error) {
      this.#thrown.add(key);
      const isOurFault = isMachineFault(error) || mayPass(error) || bus.connection.isClosed();
      log.error({ stream, seq: streamSeq, err: error }, "what came couldn't be taken in; it comes again");
      if (isOurFault) this.#quarantine.succeeded(key);
      else if (!isNoted && (await this.#countFailure(key, error, delivery))) return;
      return again();
    }
    this.#thrown.delete(key);
    this.#quarantine.succeeded(key);
    await this.#ack(delivery);
  }

  /** Counts a failure. Resolves with whether the message was put away. */
  async #countFailure(key: string, error: unknown, delivery: InboundDelivery): Promise<boolean> {
    const { log } = this.#deps;
    const { inbound, data, stream, streamSeq } = delivery;
    const messages = inbound.kind === "message" ? [itemIdOf(inbound.message)] : [];
    if ((await this.#quarantine.failed(key, error, { bytes: data, messages })) === "retry") return false;
    this.#thrown.delete(key);
    log.error({ stream, seq: streamSeq, err: error }, "a message was put away: see cortex doctor");
    if (inbound.kind === "message")
      await this.#deps.messages
        .sendNotice(`put-away-${streamSeq}-${delivery.ts}`, inbound.message.channel, putAway)
        .catch(() => {});
    await this.#ack(delivery);
    return true;
  }

  /** Whether the same id was taken out of its stream before. */
  async #isRepeated(delivery: InboundDelivery): Promise<boolean> {
    const { inbound, stream } = delivery;
    if (inbound.kind !== "message" || stream === formerStream) return false;
    const before = await takenAt(this.#deps.bus, inbound.message.channel.type, inbound.message.id);
    return before !== null && before !== placeOf(delivery);
  }

  async #ack({ ack }: InboundDelivery): Promise<void> {
    await ack().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "what was taken in comes again, and is known then"),
    );
  }
}

const putAway = "This message couldn't be taken in, three times. It was put away on the machine where I run.";

const placeOf = ({ stream, streamSeq }: InboundDelivery) => (stream === formerStream ? noPlace : streamSeq);

function isFull(directory: AgentDirectory, type: string): boolean {
  const { items, bytes } = directory.waitingFrom(type);
  return items >= inboxLimits.items || bytes >= inboxLimits.bytes;
}

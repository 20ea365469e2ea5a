/**
 * Intake of what Slack hands over: in each room one after the other, and acknowledged once it is stored. What fails on our side is
 * tried again until it is taken, since Slack itself gives up after a few minutes. What can't be taken is put away at the third failure.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ChannelFullError } from "../../bus/agents/inbound-refusals.ts";
import { isAway } from "../../bus/runs/ask-again.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { isMachineFault } from "../../files/errors/machine-fault.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type Incoming, incomingOf, type Order, type Press, type Said } from "./event.ts";
import type { Envelope } from "./service/connection.ts";

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** Envelopes at once. What comes beyond isn't acknowledged, and comes again. */
const mostHeld = 500;

export type IntakeDeps = {
  journal: string;
  botId: () => string;
  /** Resolves when it is stored, with what its sender is answered at once. */
  handle: (incoming: Said | Press | Order) => Promise<object | undefined>;
  /** The token may have been taken back. */
  onRevoked: () => void;
  log: Logger;
  signal: AbortSignal;
};

export class Intake {
  readonly #deps: IntakeDeps;
  readonly #quarantine: Quarantine;
  /** By room, while there is something in it. */
  readonly #rooms = new Map<string, { queue: SerialQueue; held: number }>();
  #held = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#quarantine = new Quarantine(deps.journal, "slack");
  }

  take({ type, body, acknowledge }: Envelope): void {
    const { botId, onRevoked, signal } = this.#deps;
    if (signal.aborted) return;
    const incoming = incomingOf(type, body, botId());
    // A connection that has ended acknowledges nothing: it comes again, and is known then.
    const done = async (response?: object) => acknowledge(response).catch(() => {});
    if (incoming.kind === "revoked") onRevoked();
    if (incoming.kind === "revoked" || incoming.kind === "other") return void done();
    if (this.#held >= mostHeld) return;
    void this.#inRoom(incoming.room, async () => {
      const taken = await this.#untilTaken(incoming);
      if (taken) await done(taken.response);
    });
  }

  async #inRoom(name: string, work: () => Promise<void>): Promise<void> {
    const room = this.#rooms.get(name) ?? { queue: new SerialQueue(), held: 0 };
    this.#rooms.set(name, room);
    room.held++;
    this.#held++;
    try {
      await room.queue.run(work);
    } finally {
      this.#held--;
      if (--room.held === 0) this.#rooms.delete(name);
    }
  }

  /** Null: stopped. */
  async #untilTaken(incoming: Said | Press | Order): Promise<{ response: object | undefined } | null> {
    const { handle, log, signal } = this.#deps;
    const key = keyOf(incoming);
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const response = await handle(incoming);
        this.#quarantine.succeeded(key);
        return { response };
      } catch (error) {
        if (signal.aborted) return null;
        const bytes = JSON.stringify(incoming);
        if (!isOfOurSide(error) && (await this.#quarantine.failed(key, error, { bytes })) === "quarantined") {
          log.error({ err: error, key }, "it can't be taken: it was put away, see cortex doctor");
          return { response: undefined };
        }
        log.warn({ error: messageOf(error), pause_ms: pauseMs }, "a message isn't taken yet");
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
    return null;
  }
}

/** Whether the bus or the disk is at fault, which may be well again, and not what came. */
const isOfOurSide = (error: unknown) => isAway(error) || error instanceof ChannelFullError || isMachineFault(error);

function keyOf(incoming: Exclude<Incoming, { kind: "other" | "revoked" }>): string {
  if (incoming.kind === "order") return `${incoming.room}:${incoming.trigger}`;
  return `${incoming.room}:${incoming.ts}${incoming.kind === "press" ? `:${incoming.action}` : ""}`;
}

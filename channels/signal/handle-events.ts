/** Events that are kept are handled one after the other, and each until it is done: one that can't be is put away at its third failure. */
import { setTimeout as delay } from "node:timers/promises";
import { ChannelFullError } from "../../bus/agents/inbound-refusals.ts";
import { isAway } from "../../bus/runs/ask-again.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { isMachineFault } from "../../files/errors/machine-fault.ts";
import type { EventQueue, QueuedEvent } from "../../journal/channels/event-queue.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import type { Logger } from "../../proc/logging/log.ts";

const firstPauseMs = 500;
const longestPauseMs = 30_000;

export type EventHandling = {
  journal: string;
  queue: EventQueue;
  /** Resolves when nothing of it is left to do; after an error it is called again. */
  handle: (event: string) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
};

/** Until the signal. */
export async function handleEvents(handling: EventHandling): Promise<void> {
  const { queue, signal } = handling;
  const quarantine = new Quarantine(handling.journal, "signal");
  while (!signal.aborted) {
    const queued = await queue.first(signal).catch(() => null);
    if (queued === null || !(await handleOne(handling, quarantine, queued))) return;
    await queue.done(queued.seq);
  }
}

/** @returns whether it is done; else everything stops */
async function handleOne(
  { handle, log, signal }: EventHandling,
  quarantine: Quarantine,
  { seq, event }: QueuedEvent,
): Promise<boolean> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await handle(event);
      quarantine.succeeded(String(seq));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const isOurs = isAway(error) || error instanceof ChannelFullError || isMachineFault(error);
      if (!isOurs && (await quarantine.failed(String(seq), error, { bytes: event })) === "quarantined") {
        log.error({ err: error }, "an event of signal-cli isn't taken: it was put away, see cortex doctor");
        return true;
      }
      log.warn({ error: messageOf(error), pause_ms: pauseMs }, "an event isn't taken: trying again");
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
  return false;
}

/** Reads the stream of events on and on, and has sent what it ends: a second after it was read, or when there is much of it. */
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../bus/connection/connect.ts";
import { eventFeed, eventStreamState } from "../../bus/events/event-feed.ts";
import { CoalescedWork, SerialQueue } from "../../files/locks/serial-queue.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Exporter } from "./exporter.ts";

/** Milliseconds for which what has ended waits for more. */
const flushEveryMs = 1000;
/** Milliseconds after which a bus that doesn't answer is asked again. */
const againMs = 1000;

/**
 * Follows the events until `signal`. While a batch isn't taken nothing is read: the stream is what waits then, for a week at most, and
 * nobody else waits for this reader.
 */
export async function followEvents(
  exporter: Exporter,
  { bus, log }: { bus: Bus; log: Pick<Logger, "warn" | "error"> },
  signal: AbortSignal,
): Promise<void> {
  const queue = new SerialQueue();
  const flushes = new CoalescedWork(() => queue.run(async () => void (await exporter.flush())));
  let isTold = false;
  const flush = async () => {
    try {
      await flushes.run();
      isTold = false;
    } catch (error) {
      if (!isTold) log.error({ err: error }, "a batch couldn't be noted: trying again");
      isTold = true;
    }
  };
  const flushing = setInterval(() => void flush(), flushEveryMs);
  // What was noted before the last stop comes first.
  await flush();
  while (!signal.aborted) {
    try {
      exporter.moveToStream(await eventStreamState(bus));
      for await (const fed of eventFeed(bus, exporter.position, signal)) {
        if (signal.aborted) break;
        await queue.run(() => exporter.addEvent(fed));
        // Nothing more is read before there is room.
        while (exporter.isFull && !signal.aborted) {
          await flush();
          if (exporter.isFull) await delay(againMs, undefined, { signal }).catch(() => {});
        }
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "the events can't be read; trying again");
      await delay(againMs, undefined, { signal }).catch(() => {});
    }
  }
  clearInterval(flushing);
  await flushes.idle();
}

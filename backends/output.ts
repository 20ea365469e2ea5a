/** A run's voice: one event a line on stdout. Each line is handed to the system before the next; what is behind it is never lost at exit. */
import type { Writable } from "node:stream";
import type { EventBody } from "../protocol/event.ts";

/**
 * `write` resolves when the line has been handed over, so that a slow reader slows the run. Once the reader is gone
 * (`head`, a closed terminal) it does nothing, and `closed` is aborted.
 */
export type Output = { write: (event: EventBody) => Promise<void>; closed: AbortSignal };

/** @param hide replaces what must not be said */
export function openOutput(stream: Writable, now: () => number, hide: (text: string) => string): Output {
  const gone = new AbortController();
  // Without a listener an EPIPE would be thrown at whoever happens to run.
  stream.on("error", () => gone.abort());
  return {
    write: (event) =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        const { event: name, ...fields } = event;
        stream.write(`${hide(JSON.stringify({ event: name, ts: now(), ...fields }))}\n`, () => resolve());
      }),
    closed: gone.signal,
  };
}

/** A run's output: one event a line on stdout. Each line is handed to the system before the next, so none is lost at exit. */
import type { Writable } from "node:stream";
import type { EventBody } from "../protocol/runs/event.ts";
import { cutDepth } from "../protocol/json/cut-depth.ts";
import { textField } from "../protocol/runs/text-field.ts";
import { secretHider, streamHider } from "./provider/secrets.ts";

/**
 * `write` resolves when the line has been handed over, so that a slow reader slows the run. Once the reader is gone
 * (`head`, a closed terminal) it does nothing, and `closed` is aborted.
 */
export type Output = { write: (event: EventBody) => Promise<void>; closed: AbortSignal };

/** @param environment its keys are never written */
export function openOutput(stream: Writable, now: () => number, environment: NodeJS.ProcessEnv): Output {
  const gone = new AbortController();
  const hide = secretHider(environment);
  const deltas = streamHider(environment);
  // Without a listener an EPIPE would be thrown at whoever happens to run.
  stream.on("error", () => gone.abort());

  const writeLine = (event: EventBody) =>
    new Promise<void>((resolve) => {
      if (gone.signal.aborted) return resolve();
      const { event: name, ...fields } = event;
      stream.write(`${hide(JSON.stringify({ event: name, ts: now(), ...cutDepth(fields) }))}\n`, () => resolve());
    });
  const writeDelta = (text: string) => (text === "" ? Promise.resolve() : writeLine({ event: "text_delta", text }));

  return {
    write: async (event) => {
      if (event.event === "text_delta") return writeDelta(deltas.push(textField(event, "text")));
      await writeDelta(deltas.rest());
      return writeLine(event);
    },
    closed: gone.signal,
  };
}

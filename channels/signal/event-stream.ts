/**
 * signal-cli's events, `/api/v1/events`: each is handed on before the next one is read, so that a slow reader slows the daemon. A
 * stream that ends is asked for again, with pauses that grow.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../proc/logging/log.ts";
import type { SignalConfig } from "./signal-config.ts";

const firstPauseMs = 500;
const longestPauseMs = 60_000;
/** The daemon says something every 15 s: after so long it is gone. */
const silentMs = 60_000;
/** Characters of an event. Texts have 64 KiB at most; files aren't in it. */
const longestEvent = 1024 * 1024;

export type EventReader = {
  config: SignalConfig;
  /** Called each time that the stream stands. */
  onConnected: () => void;
  /** Resolves when the event is kept. */
  onEvent: (data: string) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
};

/** Until the signal. */
export async function readEvents(reader: EventReader): Promise<void> {
  const { log, signal } = reader;
  let pauseMs = firstPauseMs;
  const heard = () => {
    pauseMs = firstPauseMs;
  };
  while (!signal.aborted) {
    const why = await readStream(reader, heard).catch((error: unknown) => causeOf(error));
    if (signal.aborted) return;
    log.warn({ error: why, pause_ms: pauseMs }, "signal-cli's events ended: asking again");
    await delay(pauseMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** @returns why it ended */
async function readStream(
  { config, onConnected, onEvent, log, signal }: EventReader,
  heard: () => void,
): Promise<string> {
  const silence = new AbortController();
  const awaitWord = () => setTimeout(() => silence.abort(new Error(`nothing for ${silentMs / 1000} s`)), silentMs);
  let timer = awaitWord();
  try {
    const response = await fetch(`${config.url}/api/v1/events?account=${encodeURIComponent(config.number)}`, {
      headers: { Accept: "text/event-stream" },
      redirect: "manual",
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return `signal-cli answered ${response.status}${response.status === 400 ? ": it doesn't know that number" : ""}`;
    }
    onConnected();
    const parser = new EventParser(() => log.warn(`an event of more than ${longestEvent} characters was passed over`));
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      heard();
      // While we are the slow ones, it may be silent.
      clearTimeout(timer);
      for (const data of parser.push(text)) await onEvent(data);
      timer = awaitWord();
    }
    return "the connection ended";
  } finally {
    clearTimeout(timer);
  }
}

/** Server-sent events of a text that comes in pieces. */
export class EventParser {
  readonly #onTooLong: () => void;
  #line = "";
  #data: string[] = [];
  #length = 0;

  constructor(onTooLong: () => void) {
    this.#onTooLong = onTooLong;
  }

  /** The data of the events that are whole now. */
  push(text: string): string[] {
    const lines = text.split("\n");
    const events: string[] = [];
    for (const [index, line] of lines.entries()) {
      this.#keep(line);
      if (index + 1 < lines.length) events.push(...this.#endLine());
    }
    return events;
  }

  /** Keeps a piece of a line: the rest of an event that is too long is passed over. */
  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= longestEvent) this.#line += piece;
  }

  #endLine(): string[] {
    const line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    if (line.startsWith("data:")) this.#data.push(line.slice("data:".length).replace(/^ /, ""));
    if (line !== "") return [];
    const [data, isTooLong] = [this.#data.join("\n"), this.#length > longestEvent];
    this.#data = [];
    this.#length = 0;
    if (isTooLong) this.#onTooLong();
    return data === "" || isTooLong ? [] : [data];
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * Events of a service that keeps none itself, `.state/channels/<type>-events.jsonl`: each is on the disk before it is looked at, and
 * stays until it is done. One writer.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { parseLines } from "../../files/lines/text-records.ts";
import { LineFile } from "../../files/writing/line-file.ts";
import { state } from "../config/paths.ts";

const QueueLine = z.union([
  z.object({ event: z.string(), seq: z.number().int() }),
  z.object({ done: z.number().int() }),
]);

export type QueuedEvent = { seq: number; event: string };

/** A file without anything to do that is larger is emptied. In bytes. */
const usualMaxBytes = 1024 * 1024;
/** Events at most that wait: whoever brings more waits, too. */
const usualMaxWaiting = 2000;

export class EventQueue implements Disposable {
  readonly #lines: LineFile;
  readonly #limits: { maxBytes: number; maxWaiting: number };
  readonly #waiting = new Map<number, string>();
  #next = 1;
  #changed = Promise.withResolvers<void>();

  constructor(journal: string, type: string, limits: Partial<{ maxBytes: number; maxWaiting: number }> = {}) {
    const path = state(journal, "channels", `${type}-events.jsonl`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#limits = { maxBytes: usualMaxBytes, maxWaiting: usualMaxWaiting, ...limits };
    this.#lines = new LineFile(path);
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), QueueLine))
      if ("done" in line) this.#waiting.delete(line.done);
      else {
        this.#waiting.set(line.seq, line.event);
        this.#next = Math.max(this.#next, line.seq + 1);
      }
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when it is on the disk, once there is room. */
  async add(event: string, signal: AbortSignal): Promise<void> {
    while (this.#waiting.size >= this.#limits.maxWaiting) await this.#change(signal);
    const seq = this.#next++;
    await this.#lines.append([{ event, seq }]);
    this.#waiting.set(seq, event);
    this.#tellChange();
  }

  /** The first that isn't done, as soon as there is one. @throws when the signal is given */
  async first(signal: AbortSignal): Promise<QueuedEvent> {
    for (;;) {
      signal.throwIfAborted();
      const [first] = this.#waiting;
      if (first) return { seq: first[0], event: first[1] };
      await this.#change(signal);
    }
  }

  /** Resolves when it won't come again. */
  async done(seq: number): Promise<void> {
    await this.#lines.append([{ done: seq }]);
    this.#waiting.delete(seq);
    this.#tellChange();
    if (this.#waiting.size > 0 || this.#lines.size <= this.#limits.maxBytes) return;
    await this.#lines.rewrite(() => Array.from(this.#waiting, ([waiting, event]) => ({ event, seq: waiting })));
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }

  #tellChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #change(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const over = Promise.withResolvers<never>();
    const end = () => over.reject(signal.reason);
    signal.addEventListener("abort", end, { once: true });
    try {
      await Promise.race([this.#changed.promise, over.promise]);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }
}

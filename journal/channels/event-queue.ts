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

/**
 * @field maxBytes a larger file is rewritten with what waits
 * @field maxWaiting events at most that wait, and `maxLength` their characters: whoever brings more waits, too
 */
type QueueLimits = { maxBytes: number; maxWaiting: number; maxLength: number };
const usualLimits: QueueLimits = { maxBytes: 1024 * 1024, maxWaiting: 2000, maxLength: 32 * 1024 * 1024 };

export class EventQueue implements Disposable {
  readonly #lines: LineFile;
  readonly #limits: QueueLimits;
  #maxBytes: number;
  readonly #waiting = new Map<number, string>();
  /** Events on their way to the disk: a file that is rewritten meanwhile has them, too. */
  readonly #coming = new Map<number, string>();
  /** Characters of those that wait. */
  #length = 0;
  #next = 1;
  #changed = Promise.withResolvers<void>();

  constructor(journal: string, type: string, limits: Partial<QueueLimits> = {}) {
    const path = state(journal, "channels", `${type}-events.jsonl`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#limits = { ...usualLimits, ...limits };
    this.#maxBytes = this.#limits.maxBytes;
    this.#lines = new LineFile(path);
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), QueueLine))
      if ("done" in line) this.#end(line.done);
      else {
        this.#begin(line.seq, line.event);
        this.#next = Math.max(this.#next, line.seq + 1);
      }
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when it is on the disk, once there is room. */
  async add(event: string, signal: AbortSignal): Promise<void> {
    const { maxWaiting, maxLength } = this.#limits;
    while (this.#waiting.size >= maxWaiting || this.#length >= maxLength) await this.#change(signal);
    const seq = this.#next++;
    this.#coming.set(seq, event);
    try {
      await this.#lines.append([{ event, seq }]);
      this.#begin(seq, event);
    } finally {
      this.#coming.delete(seq);
    }
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
    this.#end(seq);
    this.#tellChange();
    if (this.#lines.size <= this.#maxBytes) return;
    await this.#lines.rewrite(() => [...this.#waiting, ...this.#coming].map(([kept, event]) => ({ event, seq: kept })));
    // Not again at once where that much waits.
    this.#maxBytes = Math.max(this.#limits.maxBytes, this.#lines.size * 2);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }

  #begin(seq: number, event: string): void {
    // A file that was rewritten may hold one twice.
    this.#end(seq);
    this.#waiting.set(seq, event);
    this.#length += event.length;
  }

  #end(seq: number): void {
    this.#length -= this.#waiting.get(seq)?.length ?? 0;
    this.#waiting.delete(seq);
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

/**
 * Processes that wait for a run: started, everything imported, deaf to all but their first line. Each is of one kind, the
 * whole of what it was started with, its environment included: a run takes one that is exactly what would have been started
 * for it, or none. There are as many of a kind as were taken at once lately.
 */
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { endAllWarm, endWarm } from "../../proc/runs/end-warm.ts";
import { isAgentAlive, prepareRun, type RunCommand, startRun } from "../../proc/runs/run.ts";
import { markWarm } from "../../proc/runs/warm-run.ts";
import { PeakConcurrency } from "./peak-concurrency.ts";

/** All that a process is started with, whatever the run. */
export type ProcessKind = { backend: string; command: Omit<RunCommand, "workFolder"> };

/** Nothing is started while runs may be starting. */
const quietMs = 100;
/** Nor does what has to be started wait for quiet any longer than this. */
const mostPatientMs = 1000;
/** So old a process gives way to a new one: whatever it had opened may have gone stale. */
const maxAgeMs = 10 * 60_000;
const lookEveryMs = 30_000;

export type WarmProcess = { folder: string; kind: ProcessKind; since: number };
type Shelf = { kind: ProcessKind; waiting: WarmProcess[]; concurrency: PeakConcurrency };

export type WarmPoolParts = {
  /** The folder of all that wait. */
  folder: string;
  /** How many may wait, of all kinds. */
  max: () => number;
  log: Logger;
};

export class WarmPool {
  readonly #parts: WarmPoolParts;
  readonly #shelves = new Map<string, Shelf>();
  readonly #looking: NodeJS.Timeout;
  #expectedNow: () => ProcessKind | null = () => null;
  #expected: Shelf | null = null;
  #filling: NodeJS.Timeout | undefined;
  #dueSince: number | undefined;
  readonly #work = new SerialQueue();
  #isClosed = false;

  constructor(parts: WarmPoolParts) {
    this.#parts = parts;
    this.#looking = setInterval(() => void this.#do(() => this.#adjust()), lookEveryMs).unref();
  }

  /** Ends what an earlier cortex left, which nobody can say the kind of. */
  clear(): Promise<void> {
    return this.#do(() => endAllWarm(this.#parts.folder));
  }

  /**
   * From now on one of that kind waits at least.
   * @param kind asked each time, since settings change; null: none is expected
   */
  expect(kind: () => ProcessKind | null): void {
    this.#expectedNow = kind;
    this.#lookSoon();
  }

  /** A process of that kind, which nobody else gets, or null. Others are started for those to come. */
  reserve(kind: ProcessKind): WarmProcess | null {
    const shelf = this.#shelfOf(kind);
    shelf.concurrency.taken();
    this.#lookSoon();
    for (let next = shelf.waiting.shift(); next; next = shelf.waiting.shift()) {
      const { folder } = next;
      if (isAgentAlive(folder)) return next;
      void this.#do(() => endWarm(folder));
    }
    return null;
  }

  /** It wasn't needed after all. */
  giveBack(waiting: WarmProcess): void {
    if (this.#isClosed) void this.#do(() => endWarm(waiting.folder));
    else this.#shelfOf(waiting.kind).waiting.push(waiting);
  }

  /** Ends all that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    clearTimeout(this.#filling);
    // In its turn: one may just be being started.
    await this.#do(async () => {
      const all = [...this.#shelves.values()].flatMap(({ waiting }) => waiting.splice(0));
      await Promise.all(all.map(({ folder }) => endWarm(folder)));
    });
  }

  #shelfOf(kind: ProcessKind): Shelf {
    const key = JSON.stringify(kind);
    const shelf = this.#shelves.get(key) ?? { kind, waiting: [], concurrency: new PeakConcurrency() };
    this.#shelves.set(key, shelf);
    return shelf;
  }

  #lookSoon(): void {
    const now = performance.now();
    this.#dueSince ??= now;
    clearTimeout(this.#filling);
    const wait = Math.max(0, Math.min(quietMs, this.#dueSince + mostPatientMs - now));
    this.#filling = setTimeout(() => {
      this.#dueSince = undefined;
      void this.#do(() => this.#adjust());
    }, wait).unref();
  }

  async #fill(): Promise<void> {
    const shelves = [...this.#shelves.values()];
    let room = this.#parts.max() - shelves.reduce((sum, { waiting }) => sum + waiting.length, 0);
    for (const shelf of shelves)
      for (; room > 0 && shelf.waiting.length < shelf.concurrency.target && !this.#isClosed; room--)
        shelf.waiting.push(await this.#start(shelf.kind));
  }

  async #start(kind: ProcessKind): Promise<WarmProcess> {
    const folder = join(this.#parts.folder, randomUUID());
    mkdirSync(this.#parts.folder, { recursive: true, mode: 0o700 });
    const { backend, command } = kind;
    try {
      await prepareRun(folder);
      markWarm(folder);
      await startRun(folder, { ...command, command: [...command.command, "--warm", backend], workFolder: "/" });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { folder, kind, since: performance.now() };
  }

  /** Adjusts the pool: a process that isn't expected any more makes room first. */
  async #adjust(): Promise<void> {
    if (this.#isClosed) return;
    this.#favour(this.#expectedNow());
    await this.#retire();
    await this.#fill();
  }

  /** Runs with no wishes of their own took the kind that was expected: they will take the one that is now, as many as before. */
  #favour(kind: ProcessKind | null): void {
    const before = this.#expected;
    const shelf = kind && this.#shelfOf(kind);
    if (shelf === before) return;
    this.#expected = shelf;
    if (shelf && before) shelf.concurrency = before.concurrency;
    shelf?.concurrency.raise(1);
    if (before) before.concurrency = new PeakConcurrency();
  }

  /** Ends what is old, and more than lately was needed. */
  async #retire(): Promise<void> {
    const oldest = performance.now() - maxAgeMs;
    for (const [key, shelf] of this.#shelves) {
      const old = shelf.waiting.filter(({ since }, index) => since < oldest || index >= shelf.concurrency.target);
      shelf.waiting = shelf.waiting.filter((one) => !old.includes(one));
      await Promise.all(old.map(({ folder }) => endWarm(folder)));
      if (shelf.concurrency.target === 0 && shelf.waiting.length === 0) this.#shelves.delete(key);
    }
  }

  /** One thing after the other. */
  #do(work: () => Promise<void>): Promise<void> {
    return this.#work.run(work).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, "a process that waits for a run couldn't be started or ended");
    });
  }
}

/**
 * What all runs of the day have used, on whichever worker, against the settings' limits of a day. Each run's sum has a
 * key of its own on the bus, and only grows: so it can be told, heard and read again from the files as often as need be,
 * and nothing is forgotten or counted twice. While the bus is away, what was last known of others holds.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../bus/connection/connect.ts";
import { SpendingBoard, type SpendingEntry } from "../../bus/claims/spending.ts";
import { runCosts } from "../../journal/runs/costs.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { dayOf } from "../../protocol/names/day.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { added, isSame, nothingSpent, type Spent } from "../../protocol/runs/spent.ts";
import { DailyUsage } from "./daily-usage.ts";

/** No local day is longer: days of 25 hours are. */
const longestDayMs = 26 * 3_600_000;

/** How long what the bus didn't take, or ended telling, waits until it is tried again. */
const againMs = 5000;

/** How long the start waits for what other workers have told. */
const catchUpMs = 5000;

export type UsageStoreDeps = {
  journal: string;
  timeZone: string;
  settings: () => Settings;
  bus: Bus;
  log: Logger;
};

/** What was used in a moment, in ms. */
export type SpentAt = { ts: number; spent: Spent };

export class UsageStore implements Disposable {
  readonly #deps: UsageStoreDeps;
  readonly #board: SpendingBoard;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** By day. */
  readonly #books = new Map<string, DailyUsage>();
  /** What was read or counted here, and what of it the bus may lack: keys as on the bus. */
  readonly #own = new Set<string>();
  readonly #untold = new Set<string>();
  /** Aborted when it is to be begun anew: a server that came back may have lost what it was told. */
  #following = new AbortController();
  #isCaughtUp = false;
  #isTelling = false;

  private constructor(deps: UsageStoreDeps, board: SpendingBoard) {
    this.#deps = deps;
    this.#board = board;
  }

  /** Reads what stands in the files of the day and hears what was told. To be done before any run is taken up. */
  static async open(deps: UsageStoreDeps): Promise<UsageStore> {
    const spending = new UsageStore(deps, await SpendingBoard.open(deps.bus));
    await spending.#readFiles();
    await spending.#follow();
    deps.bus.onReconnect(() => spending.#following.abort());
    return spending;
  }

  /** Takes down what a run that is about to go on has used so far. */
  restate(agentId: string, persona: string, used: SpentAt[]): void {
    const days = Map.groupBy(used, ({ ts }) => this.#dayOf(ts));
    for (const [day, ofDay] of days)
      this.#noteOwn({ day, agentId, persona, spent: ofDay.map(({ spent }) => spent).reduce(added) });
  }

  /** Adds what a run that is at work here has used. */
  add(agentId: string, persona: string, { ts, spent }: SpentAt): void {
    const day = this.#dayOf(ts);
    const before = this.#bookOf(day).of(agentId)?.spent ?? nothingSpent;
    this.#noteOwn({ day, agentId, persona, spent: added(before, spent) });
  }

  /** Says which limit of today a persona has reached, or null. */
  exceeded(persona: string): string | null {
    const { settings, timeZone } = this.#deps;
    const { budgets } = settings();
    return budgets ? this.#bookOf(this.#dayOf(Date.now())).exceeded(persona, budgets, timeZone) : null;
  }

  /** Calls back now, and whenever somebody has used something, until it is disposed of. */
  onChange(callback: () => void): Disposable {
    this.#listeners.add(callback);
    callback();
    return { [Symbol.dispose]: () => void this.#listeners.delete(callback) };
  }

  async #readFiles(): Promise<void> {
    const { journal, log } = this.#deps;
    const since = Date.now() - longestDayMs;
    const costs = await runCosts(journal, since, (path, error) =>
      log.error({ path, err: error }, "what a run has used can't be read"),
    );
    const today = this.#dayOf(Date.now());
    for (const { agent_id: agentId, persona, parts } of costs) {
      const ofToday = parts.filter(({ quarter }) => quarter >= since && this.#dayOf(quarter) === today);
      if (ofToday.length > 0)
        this.restate(
          agentId,
          persona,
          ofToday.map(({ quarter: ts, spent }) => ({ ts, spent })),
        );
    }
  }

  /** Hears others from now on. Resolves when it knows what they have told so far, or they take too long. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    const caughtUp = new Promise<void>((resolve) => void this.#followOn(resolve));
    const timer = new AbortController();
    const late = delay(catchUpMs, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).catch(() => {});
    await Promise.race([caughtUp, late]);
    timer.abort();
  }

  async #followOn(resolve: () => void): Promise<void> {
    const { signal: closed } = this.#closed;
    const onCaughtUp = () => {
      this.#isCaughtUp = true;
      this.#tell();
      resolve();
    };
    while (!closed.aborted) {
      this.#following = new AbortController();
      this.#isCaughtUp = false;
      for (const key of this.#own) this.#untold.add(key); // until it is heard
      const { signal } = this.#following;
      try {
        await this.#board.follow((entry) => this.#hear(entry), {
          onUnreadable: (day, agentId) => this.#hearUnreadable(day, agentId),
          onCaughtUp,
          signal: AbortSignal.any([closed, signal]),
        });
      } catch (error) {
        this.#deps.log.warn({ err: error }, "what other workers use isn't heard");
      }
      if (!signal.aborted) await delay(againMs, undefined, { signal: closed, ref: false }).catch(() => {});
    }
  }

  #hear({ day, agentId, persona, spent }: SpendingEntry): void {
    const book = this.#bookOf(day);
    const before = book.of(agentId)?.spent;
    book.note(agentId, persona, spent);
    const now = book.of(agentId)?.spent ?? nothingSpent;
    const key = keyOf(day, agentId);
    // What the bus now has is all that is known here, or less: then somebody told what he knew before.
    if (isSame(now, spent)) this.#untold.delete(key);
    else if (this.#own.has(key)) this.#untold.add(key);
    this.#tell();
    if (!before || !isSame(before, now)) this.#changed();
  }

  /** An older version may have told a sum that is no number. Who has the run's file tells it anew. */
  #hearUnreadable(day: string, agentId: string): void {
    const key = keyOf(day, agentId);
    this.#deps.log.error({ agent_id: agentId, day }, "what was told of a run's use can't be read");
    if (this.#own.has(key)) {
      this.#untold.add(key);
      return this.#tell();
    }
    this.#bookOf(day).noteUnreadable(agentId);
    this.#changed();
  }

  #noteOwn({ day, agentId, persona, spent }: SpendingEntry): void {
    this.#bookOf(day).note(agentId, persona, spent);
    this.#own.add(keyOf(day, agentId));
    this.#untold.add(keyOf(day, agentId));
    this.#tell();
    this.#changed();
  }

  #changed(): void {
    for (const callback of this.#listeners) callback();
  }

  #tell(): void {
    // Not before it knows what the bus has: that may be more than what the files of this worker tell.
    if (!this.#isCaughtUp || this.#isTelling) return;
    this.#isTelling = true;
    void this.#tellOn();
  }

  async #tellOn(): Promise<void> {
    try {
      await this.#tellAllUntold();
    } finally {
      this.#isTelling = false;
    }
  }

  async #tellAllUntold(): Promise<void> {
    for (const key of this.#untold) {
      if (this.#closed.signal.aborted || !this.#deps.bus.isConnected) return; // told when it is back
      this.#untold.delete(key); // first: what is counted meanwhile is to be told again
      const [day = "", agentId = ""] = key.split(".");
      const known = this.#books.get(day)?.of(agentId);
      if (!known) continue;
      try {
        await this.#board.tell({ day, agentId, ...known });
      } catch (error) {
        this.#deps.log.warn({ agent_id: agentId, err: error }, "what a run has used waits for the bus");
        this.#untold.add(key);
        setTimeout(() => this.#tell(), againMs).unref();
        return;
      }
    }
  }

  #bookOf(day: string): DailyUsage {
    const found = this.#books.get(day);
    if (found) return found;
    const book = new DailyUsage(day);
    this.#books.set(day, book);
    this.#forgetBefore(this.#dayOf(Date.now() - longestDayMs));
    return book;
  }

  #forgetBefore(day: string): void {
    for (const old of this.#books.keys()) if (old < day) this.#books.delete(old);
    for (const key of this.#own) if (key < day) this.#own.delete(key);
  }

  #dayOf(ts: number): string {
    return dayOf(ts, this.#deps.timeZone);
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
    this.#listeners.clear();
  }
}

const keyOf = (day: string, agentId: string) => `${day}.${agentId}`;

/**
 * Exchanges the runs' usage of a day with other workers over the bus. A run's sum has a key of its own and only grows, so
 * publishing it again, or receiving it twice, changes nothing.
 */
import { setTimeout as delay } from "node:timers/promises";
import { UsageBucket, type UsageEntry } from "../../bus/claims/usage-bucket.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { isSame } from "../../protocol/runs/spent.ts";

/** Pause before a publish that the bus refused, or following it, is tried again. */
const againMs = 5000;

/** Milliseconds for which the start waits for the usage that other workers have published. */
const catchUpMs = 5000;

export type UsageExchangeDeps = {
  bus: Bus;
  log: Logger;
  /** Finds the usage that is known here of a run on a day, or null. */
  known: (day: string, agentId: string) => Pick<UsageEntry, "persona" | "spent" | "models"> | null;
  onEntry: (entry: UsageEntry) => void;
  /** An entry can't be read, and this worker doesn't have the run's file. */
  onUnreadable: (day: string, agentId: string) => void;
};

export class UsageExchange implements Disposable {
  readonly #deps: UsageExchangeDeps;
  readonly #bucket: UsageBucket;
  readonly #closed = new AbortController();
  /** Keys of what was read or counted here, and those of them that the bus may lack. */
  readonly #own = new Set<string>();
  readonly #unpublished = new Set<string>();
  /** Aborted to begin following anew: a server that came back may have lost the entries. */
  #following = new AbortController();
  #isCaughtUp = false;
  #isPublishing = false;

  private constructor(deps: UsageExchangeDeps, bucket: UsageBucket) {
    this.#deps = deps;
    this.#bucket = bucket;
  }

  static async open(deps: UsageExchangeDeps): Promise<UsageExchange> {
    const exchange = new UsageExchange(deps, await UsageBucket.open(deps.bus));
    deps.bus.onReconnect(() => exchange.#following.abort());
    return exchange;
  }

  /** Receives other workers' usage from now on. Resolves when all that was published before is known, or takes too long. */
  async follow(): Promise<void> {
    const { signal } = this.#closed;
    const caughtUp = new Promise<void>((resolve) => void this.#followOn(resolve));
    const timer = new AbortController();
    const late = delay(catchUpMs, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).catch(() => {});
    await Promise.race([caughtUp, late]);
    timer.abort();
  }

  /** Publishes what is known of a run that this worker has the file of. */
  publish(day: string, agentId: string): void {
    this.#own.add(keyOf(day, agentId));
    this.#unpublished.add(keyOf(day, agentId));
    this.#publishAll();
  }

  /** Forgets the days before this one. */
  forgetBefore(day: string): void {
    for (const key of this.#own) if (key < day) this.#own.delete(key);
  }

  async #followOn(resolve: () => void): Promise<void> {
    const { signal: closed } = this.#closed;
    const onCaughtUp = () => {
      this.#isCaughtUp = true;
      this.#publishAll();
      resolve();
    };
    while (!closed.aborted) {
      this.#following = new AbortController();
      this.#isCaughtUp = false;
      for (const key of this.#own) this.#unpublished.add(key); // until the bus brings it
      const { signal } = this.#following;
      try {
        await this.#bucket.follow((entry) => this.#received(entry), {
          onUnreadable: (day, agentId) => this.#receivedUnreadable(day, agentId),
          onCaughtUp,
          signal: AbortSignal.any([closed, signal]),
        });
      } catch (error) {
        this.#deps.log.warn({ err: error }, "the usage of other workers can't be followed; trying again");
      }
      if (!signal.aborted) await delay(againMs, undefined, { signal: closed, ref: false }).catch(() => {});
    }
  }

  #received(entry: UsageEntry): void {
    const { day, agentId, spent } = entry;
    this.#deps.onEntry(entry);
    const key = keyOf(day, agentId);
    const known = this.#deps.known(day, agentId);
    // The bus has all that is known here, or less: then its entry is of a worker that knew less.
    if (known && isSame(known.spent, spent)) this.#unpublished.delete(key);
    else if (this.#own.has(key)) this.#unpublished.add(key);
    this.#publishAll();
  }

  /** An older version may have published a sum that is not a number. The worker that has the run's file publishes it anew. */
  #receivedUnreadable(day: string, agentId: string): void {
    const key = keyOf(day, agentId);
    this.#deps.log.error({ agent_id: agentId, day }, "a run's published usage can't be read");
    if (!this.#own.has(key)) return this.#deps.onUnreadable(day, agentId);
    this.#unpublished.add(key);
    this.#publishAll();
  }

  #publishAll(): void {
    // Only once all that the bus has is known: that may be more than the files of this worker tell.
    if (!this.#isCaughtUp || this.#isPublishing) return;
    this.#isPublishing = true;
    void this.#publishEach().finally(() => (this.#isPublishing = false));
  }

  async #publishEach(): Promise<void> {
    for (const key of this.#unpublished) {
      if (this.#closed.signal.aborted || !this.#deps.bus.isConnected) return; // published when it is back
      this.#unpublished.delete(key); // first: what is counted meanwhile is published again
      const [day = "", agentId = ""] = key.split(".");
      const known = this.#deps.known(day, agentId);
      if (!known) continue;
      try {
        await this.#bucket.put({ day, agentId, ...known });
      } catch (error) {
        this.#deps.log.warn({ agent_id: agentId, err: error }, "a run's usage waits for the bus");
        this.#unpublished.add(key);
        setTimeout(() => this.#publishAll(), againMs).unref();
        return;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
  }
}

const keyOf = (day: string, agentId: string) => `${day}.${agentId}`;

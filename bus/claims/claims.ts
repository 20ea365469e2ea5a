/** Claims: a key for each request that waits or runs, which says whose it is. Changed only by compare-and-set, gone when it has ended. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import type { KV, KvEntry } from "@nats-io/kv";
import { z } from "zod";
import { openBucket } from "../jetstream/bucket.ts";
import type { Bus } from "../connection/connect.ts";
import { deleteMessage } from "../jetstream/delete-message.ts";
import { isForbidden } from "../connection/forbidden.ts";
import { isConflict } from "../jetstream/conflict.ts";
import { mayPass } from "../connection/leader.ts";
import { watchForStall } from "../jetstream/stall.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const Claim = z.looseObject({
  state: z.enum(["queued", "claimed", "started", "ended"]),
  /** Where the request stands in the stream: the order of arrival. 0: cortex itself has yet to publish it. */
  stream_seq: z.number().int().nonnegative(),
  /** Lower starts first. */
  priority: z.number().int(),
  /** The labels that a worker must have to take it. */
  labels: z.array(z.string()),
  /** The worker that has it. */
  worker: z.string().optional(),
  /** How often it has changed hands: what an older epoch says doesn't count. */
  epoch: z.number().int().nonnegative(),
  /** The revision at which its owner took it: of two, who has the lower one came first. None: it has just been taken. */
  turn: z.number().int().optional(),
  /** The attempt that may have started. */
  attempt: z.number().int().nonnegative(),
  /** How often its owner has made sure of it. */
  confirmed: z.number().int().nonnegative(),
});
export type Claim = z.infer<typeof Claim>;

/** A claim as it stands in the bucket. */
export type StoredClaim = { claim: Claim; revision: number };

/** A change of a claim. `isLast`: nothing else was to come at that moment. */
export type ClaimNews = StoredClaim & { agentId: string; isLast: boolean };

const bucket = "cortex_claims";
export const claimStream = `KV_${bucket}`;

const againMs = 500;

/** Milliseconds for which a change waits until it is known what the bucket has by now. */
const knownWithinMs = 2000;

/** Longer than any request lives in the stream. */
const ttlMs = 31 * 24 * 3_600_000;

/** After so long nobody waits for a marker any more. */
const markerMs = 60_000;

export class ClaimStore {
  readonly #bus: Bus;
  readonly #kv: KV;
  #losses = 0;
  /** Until the claims are followed anew after a loss of the connection. */
  #unknown: PromiseWithResolvers<void> | null = null;
  #followAnew = () => {};
  #mayPurge = true;

  private constructor(bus: Bus, kv: KV) {
    this.#bus = bus;
    this.#kv = kv;
    bus.onReconnect(() => {
      this.#losses++;
      this.#followAnew();
    });
  }

  static async open(bus: Bus, replicas = 1): Promise<ClaimStore> {
    return new ClaimStore(bus, await openBucket(bus, bucket, replicas, { ttl: ttlMs }));
  }

  /** Makes a claim where there is none. Returns its revision, or null when there is one. */
  create(agentId: string, claim: Claim): Promise<number | null> {
    return this.#change(() => this.#kv.create(agentId, JSON.stringify(claim)));
  }

  async get(agentId: string): Promise<StoredClaim | null> {
    const found = await this.#kv.get(agentId);
    return found ? stored(found) : null;
  }

  /** Puts a claim in the place of the one with that revision. Returns the new revision, or null when another was quicker. */
  replace(agentId: string, claim: Claim, revision: number): Promise<number | null> {
    return this.#change(() => this.#kv.update(agentId, JSON.stringify(claim), revision));
  }

  /**
   * While it isn't known whether the bucket's numbers have gone back, none is taken for newer than others.
   * @throws Error when the bus doesn't answer, or the connection was lost meanwhile. Each change is safe to repeat
   */
  async #change(write: () => Promise<number>): Promise<number | null> {
    if (this.#unknown) await within(knownWithinMs, this.#unknown.promise);
    const losses = this.#losses;
    const revision = await unlessConflict(write());
    if (losses !== this.#losses) throw new Error("the connection was lost before the change of a claim was seen");
    return revision;
  }

  /**
   * Forgets a claim without a trace, so that what has ended costs nobody's start anything.
   * @param revision what has come after it stays
   */
  async forgetClaim(agentId: string, revision: number): Promise<void> {
    const subject = `$KV.${bucket}.${agentId}`;
    const { streams } = await this.#bus.manager();
    if (this.#mayPurge)
      try {
        await streams.purge(claimStream, { filter: subject, seq: revision + 1 });
        return;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        this.#mayPurge = false;
      }
    // A worker of another host takes single messages away. A bucket that was made anew has another key's at that number.
    if ((await streams.getMessage(claimStream, { seq: revision }))?.subject === subject)
      await deleteMessage(this.#bus, claimStream, revision, false);
  }

  /**
   * Yields all claims there are, then each change, until `signal`; all once more where a consumer or the connection was lost.
   * @param onLoaded all that were there have been yielded
   * @param onBegin the first time and each further one, before they are yielded; what is written from now on has a higher
   *   revision than the given one. A bucket that was empty when its server was killed counts from 1 again
   */
  async *watch(
    signal: AbortSignal,
    onLoaded: () => void,
    onBegin: (revision: number) => void = () => {},
  ): AsyncGenerator<ClaimNews> {
    while (!signal.aborted)
      try {
        yield* this.#watchOnce(signal, onLoaded, onBegin);
      } catch (error) {
        if (!signal.aborted && !mayPass(error) && this.#bus.isConnected) throw error;
        await delay(againMs, undefined, { signal }).catch(() => {});
      }
    this.#followAnew = () => {};
    this.#isKnown();
  }

  #isKnown(): void {
    this.#unknown?.resolve();
    this.#unknown = null;
  }

  /** Until the server that has the consumer is gone, or the connection was. */
  async *#watchOnce(
    signal: AbortSignal,
    onLoaded: () => void,
    onBegin: (revision: number) => void,
  ): AsyncGenerator<ClaimNews> {
    let isLost = false;
    this.#followAnew = () => {
      isLost = true;
      this.#unknown ??= Promise.withResolvers();
    };
    const changes = await this.#kv.watch();
    const stop = () => changes.stop();
    // What the server counts as still to come may be purged before it does. A key of our own comes for sure, behind them.
    const marker = `seen.${randomUUID()}`;
    const revision = await this.#kv.put(marker, "").catch((error: unknown) => {
      stop();
      throw error;
    });
    if (isLost) return stop();
    this.#followAnew = () => {
      this.#unknown ??= Promise.withResolvers();
      stop();
    };
    onBegin(revision);
    this.#isKnown();
    let delivered = 0;
    using _stall = watchForStall(this.#bus, `KV_${bucket}`, { delivered: () => delivered, onStall: stop });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      for await (const found of changes) {
        delivered = found.revision;
        if (found.key.startsWith("seen.")) {
          const isOwn = found.key === marker;
          // Another worker's: it takes it away itself, unless it was killed before.
          if (isOwn || Date.now() - found.created.getTime() > markerMs)
            await this.forgetClaim(found.key, found.revision);
          if (!isOwn) continue;
          onLoaded();
          continue;
        }
        const claim = stored(found);
        if (claim) yield { agentId: found.key, ...claim, isLast: found.delta === 0 };
      }
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }
}

/** @throws Error when it takes longer */
async function within(ms: number, what: Promise<void>): Promise<void> {
  const giveUp = new AbortController();
  const tooLate = delay(ms, undefined, { signal: giveUp.signal }).then(
    () => Promise.reject(new Error("the claims are still being read again")),
    () => {},
  );
  await Promise.race([what, tooLate]).finally(() => giveUp.abort());
}

function stored(found: KvEntry): StoredClaim | null {
  return found.operation === "PUT"
    ? { claim: Claim.parse(parseOwnJson(found.string())), revision: found.revision }
    : null;
}

async function unlessConflict(write: Promise<number>): Promise<number | null> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof JetStreamApiError && isConflict(error)) return null;
    throw error;
  }
}

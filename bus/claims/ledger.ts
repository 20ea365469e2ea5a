/** The ledger: what is known of each id. An id gets its entry once; whoever comes second reads what stands there. */
import { JetStreamApiError } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import { z } from "zod";
import { openBucket } from "../jetstream/bucket.ts";
import { nats29 } from "../legacy/nats-2-9.ts";
import { isConflict } from "../jetstream/conflict.ts";
import type { Bus } from "../connection/connect.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** Entries live as long as a stored request does. */
const ttlMs = 30 * 24 * 3_600_000;

const bucket = "cortex_runs";
export const ledgerStream = `KV_${bucket}`;

export const LedgerEntry = z.looseObject({
  /** The hash of the request's content. */
  hash: z.string(),
  /** Where the request stands in the stream; 0: cortex itself has yet to publish it. */
  stream_seq: z.number().int(),
  /** The run that hands on to it; of a request that cortex makes itself. */
  parent: z.string().optional(),
  /** Set once its run has ended: which worker had it last, how often it had changed hands, and what was done with its result. */
  ended: z
    .looseObject({
      worker: z.string(),
      epoch: z.number().int(),
      event: z.string().optional(),
      saved: z.string().optional(),
      handed_off: z.string().optional(),
    })
    .optional(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** The run that another has handed off to. */
export const ChildEntry = z.object({
  agent_id: z.string(),
  /** How many runs the chain has, the child included. */
  chain_length: z.number().int(),
});
export type ChildEntry = z.infer<typeof ChildEntry>;

export class Ledger {
  readonly #kv: KV;

  private constructor(kv: KV) {
    this.#kv = kv;
  }

  static async open(bus: Bus, replicas = 1): Promise<Ledger> {
    return new Ledger(await openBucket(bus, bucket, replicas, { ttl: ttlMs }));
  }

  /** Records an id. Returns null when the entry is ours, else the one that was there before. */
  async record(agentId: string, entry: LedgerEntry): Promise<LedgerEntry | null> {
    if (await this.#create(agentId, JSON.stringify(entry))) return null;
    return (await this.entry(agentId)) ?? this.record(agentId, entry);
  }

  /** Reads the entry of an id. */
  async entry(agentId: string): Promise<LedgerEntry | null> {
    const found = await this.#kv.get(agentId);
    return found && found.operation === "PUT" ? LedgerEntry.parse(parseOwnJson(found.string())) : null;
  }

  /**
   * Changes an entry, by compare-and-set: what another has written meanwhile isn't lost.
   * @param change what becomes of it; null: it stays
   * @returns what stands there now; null: there is none
   */
  async change(agentId: string, change: (entry: LedgerEntry) => LedgerEntry | null): Promise<LedgerEntry | null> {
    for (;;) {
      const found = await this.#kv.get(agentId);
      if (!found || found.operation !== "PUT") return null;
      const before = LedgerEntry.parse(parseOwnJson(found.string()));
      const changed = change(before);
      if (changed === null) return before;
      try {
        await this.#kv.update(agentId, JSON.stringify(changed), found.revision);
        return changed;
      } catch (error) {
        if (!(error instanceof JetStreamApiError && isConflict(error))) throw error;
      }
    }
  }

  /** The id of a request that came without one: `wanted`, unless an earlier delivery of it got another. */
  async assign(streamSeq: number, wanted: string): Promise<string> {
    const key = `seq.${streamSeq}`;
    if (await this.#create(key, wanted)) return wanted;
    return (await this.#kv.get(key))?.string() ?? wanted;
  }

  /** The id that such a request has got, or null. */
  async assigned(streamSeq: number): Promise<string | null> {
    return (await this.#kv.get(`seq.${streamSeq}`))?.string() || null;
  }

  /** Gives such a request another id, when the one that it got was taken. */
  async reassign(streamSeq: number, agentId: string): Promise<void> {
    await this.#kv.put(`seq.${streamSeq}`, agentId);
  }

  /**
   * The stream has lost what stood behind a place, and uses those places again: whatever was known by them is forgotten.
   * @param last the last place that still holds what it held
   */
  async forgetPlacesAfter(last: number): Promise<void> {
    for await (const key of nats29.keys(this.#kv, ["seq.*", "deliveries.*"]))
      if (Number(key.split(".")[1]) > last) await this.#kv.purge(key);
  }

  /** Counts a delivery that wasn't the first, and returns how many there were. */
  async countDelivery(streamSeq: number): Promise<number> {
    const key = `deliveries.${streamSeq}`;
    const count = Number((await this.#kv.get(key))?.string() ?? 1) + 1;
    await this.#kv.put(key, String(count));
    return count;
  }

  /** Makes room for a request that is sent again, if it never became a run. */
  async reopen(agentId: string, streamSeq: number): Promise<void> {
    await this.change(agentId, (entry) =>
      entry.stream_seq === streamSeq && !entry.ended ? { ...entry, stream_seq: 0 } : null,
    ).catch(() => null);
  }

  /** The child of a run: `wanted`, unless it has got another before. So a handoff that is repeated is the same child. */
  async claimChild(parent: string, wanted: ChildEntry): Promise<ChildEntry> {
    if (await this.#create(childKey(parent), JSON.stringify(wanted))) return wanted;
    return (await this.childOf(parent)) ?? wanted;
  }

  /** Gives a run another child, when the id of the first was taken. */
  async replaceChild(parent: string, child: ChildEntry): Promise<void> {
    await this.#kv.put(childKey(parent), JSON.stringify(child));
  }

  /** The child that a run has handed off to, or null. */
  async childOf(parent: string): Promise<ChildEntry | null> {
    const found = await this.#kv.get(childKey(parent));
    return found && found.operation === "PUT" ? ChildEntry.parse(parseOwnJson(found.string())) : null;
  }

  async #create(key: string, value: string): Promise<boolean> {
    try {
      await this.#kv.create(key, value);
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && isConflict(error)) return false;
      throw error;
    }
  }
}

const childKey = (parent: string) => `child.${parent}`;

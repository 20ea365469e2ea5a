/** The ledger: what is known of each id. An id gets its entry once; whoever comes second reads what stands there. */
import { JetStreamApiError } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { z } from "zod";
import type { Bus } from "./connect.ts";

/** Entries live as long as a stored request does. */
const ttlMs = 30 * 24 * 3_600_000;

/** The server's code for "wrong last sequence": the key exists. */
const keyExists = 10071;

export const LedgerEntry = z.object({
  /** Of the request's content. */
  hash: z.string(),
  state: z.enum(["queued", "started", "ended"]),
  /** Where the request stands in the stream. */
  stream_seq: z.number().int(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export class Ledger {
  readonly #kv: KV;

  private constructor(kv: KV) {
    this.#kv = kv;
  }

  static async open(bus: Bus): Promise<Ledger> {
    return new Ledger(await new Kvm(bus.js).create("cortex_runs", { history: 1, ttl: ttlMs }));
  }

  /** Records an id. Returns null when the entry is ours, else the one that was there before. */
  async record(agentId: string, entry: LedgerEntry): Promise<LedgerEntry | null> {
    if (await this.#create(agentId, JSON.stringify(entry))) return null;
    return (await this.entry(agentId)) ?? this.record(agentId, entry);
  }

  /** What is known of an id. */
  async entry(agentId: string): Promise<LedgerEntry | null> {
    const found = await this.#kv.get(agentId);
    return found && found.operation === "PUT" ? LedgerEntry.parse(found.json()) : null;
  }

  /** Replaces an entry. */
  async update(agentId: string, entry: LedgerEntry): Promise<void> {
    await this.#kv.put(agentId, JSON.stringify(entry));
  }

  /** The id of a request that came without one: `wanted`, unless an earlier delivery of it got another. */
  async assign(streamSeq: number, wanted: string): Promise<string> {
    const key = `seq.${streamSeq}`;
    if (await this.#create(key, wanted)) return wanted;
    return (await this.#kv.get(key))?.string() ?? wanted;
  }

  /** Gives such a request another id, when the one that it got was taken. */
  async reassign(streamSeq: number, agentId: string): Promise<void> {
    await this.#kv.put(`seq.${streamSeq}`, agentId);
  }

  /** The ids that wait, with their entries. */
  async queued(): Promise<Map<string, LedgerEntry>> {
    const waiting = new Map<string, LedgerEntry>();
    if ((await this.#kv.status()).values === 0) return waiting; // of nothing, no last one would ever come
    for await (const found of await this.#kv.watch()) {
      if (!found.key.includes(".") && found.operation === "PUT") {
        const entry = LedgerEntry.parse(found.json());
        if (entry.state === "queued") waiting.set(found.key, entry);
      }
      if (found.delta === 0) break;
    }
    return waiting;
  }

  async #create(key: string, value: string): Promise<boolean> {
    try {
      await this.#kv.create(key, value);
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === keyExists) return false;
      throw error;
    }
  }
}

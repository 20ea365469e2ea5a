/** The bucket of daily usage: what each run has used on a day, for all workers. Each run has a key of its own, so a repeated put changes nothing. */
import { type KV, Kvm, type KvWatchEntry } from "@nats-io/kv";
import { z } from "zod";
import { AgentId } from "../../protocol/names/names.ts";
import { Spent } from "../../protocol/runs/spent.ts";
import type { Bus } from "../connection/connect.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";

/** A day is of interest until its end, which comes later in some places than in others. */
const ttlMs = 3 * 24 * 3_600_000;

const Amount = z.object({
  persona: z.string(),
  spent: Spent,
  /** The part of each model. Absent: an older version has told it. */
  models: z.record(z.string(), Spent).optional(),
});

export type UsageEntry = {
  day: string;
  agentId: string;
  persona: string;
  spent: Spent;
  models?: Record<string, Spent> | undefined;
};

export type FollowOptions = {
  onUnreadable?: (day: string, agentId: string) => void;
  onCaughtUp: () => void;
  signal: AbortSignal;
};

export class UsageBucket {
  readonly #bus: Bus;
  #kv: KV;

  private constructor(bus: Bus, kv: KV) {
    this.#bus = bus;
    this.#kv = kv;
  }

  static async open(bus: Bus): Promise<UsageBucket> {
    return new UsageBucket(bus, await bucket(bus));
  }

  /** Puts what a run has used on a day, all in all. */
  async put({ day, agentId, persona, spent, models }: UsageEntry): Promise<void> {
    await this.#kv.put(`${day}.${agentId}`, JSON.stringify({ persona, spent, models }));
  }

  /**
   * Calls back with each entry that there is, and with each that comes, until the signal.
   * @param onUnreadable called for a run whose entry is not an amount
   * @param onCaughtUp called when all entries from before are known
   */
  async follow(
    onEntry: (entry: UsageEntry) => void,
    { onUnreadable, onCaughtUp, signal }: FollowOptions,
  ): Promise<void> {
    this.#kv = await bucket(this.#bus); // a server that came back may have lost all
    if ((await this.#kv.status()).values === 0) onCaughtUp(); // of nothing, no last one would ever come
    const entries = await this.#kv.watch();
    const stop = () => entries.stop();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      for await (const entry of entries) {
        const place = placeOf(entry);
        const read = Amount.safeParse(tryParseOwnJson(new TextDecoder().decode(entry.value)));
        if (place && read.success) onEntry({ ...place, ...read.data });
        else if (place) onUnreadable?.(place.day, place.agentId);
        if (entry.delta === 0) onCaughtUp();
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

const bucket = (bus: Bus): Promise<KV> => new Kvm(bus.js).create("cortex_spending", { history: 1, ttl: ttlMs });

/** The day and the run of an entry; null for one that was removed or is not ours. */
function placeOf({ key, operation }: KvWatchEntry): { day: string; agentId: string } | null {
  const [day = "", agentId = ""] = key.split(".");
  if (operation !== "PUT" || !/^\d{8}$/.test(day) || !AgentId.safeParse(agentId).success) return null;
  return { day, agentId };
}

/** What each run has used on a day, told to all workers: a key of its own for each, so that telling it again changes nothing. */
import { type KV, Kvm, type KvWatchEntry } from "@nats-io/kv";
import { z } from "zod";
import { AgentId } from "../../protocol/names/names.ts";
import { Spent } from "../../protocol/runs/spent.ts";
import type { Bus } from "../connection/connect.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";

/** A day is of interest until its end, which comes later in some places than in others. */
const ttlMs = 3 * 24 * 3_600_000;

const Told = z.object({ persona: z.string(), spent: Spent });

export type SpendingEntry = { day: string; agentId: string; persona: string; spent: Spent };

export type FollowOptions = {
  onUnreadable?: (day: string, agentId: string) => void;
  onCaughtUp: () => void;
  signal: AbortSignal;
};

export class SpendingBoard {
  readonly #bus: Bus;
  #kv: KV;

  private constructor(bus: Bus, kv: KV) {
    this.#bus = bus;
    this.#kv = kv;
  }

  static async open(bus: Bus): Promise<SpendingBoard> {
    return new SpendingBoard(bus, await bucket(bus));
  }

  /** Tells what a run has used on a day, all in all. */
  async tell({ day, agentId, persona, spent }: SpendingEntry): Promise<void> {
    await this.#kv.put(`${day}.${agentId}`, JSON.stringify({ persona, spent }));
  }

  /**
   * Hears what was told and what is told from now on, until the signal.
   * @param onUnreadable hears of a run of which something was told that is no amount
   * @param onCaughtUp what had been told before is known now
   */
  async follow(
    hear: (entry: SpendingEntry) => void,
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
        const told = Told.safeParse(tryParseOwnJson(new TextDecoder().decode(entry.value)));
        if (place && told.success) hear({ ...place, ...told.data });
        else if (place) onUnreadable?.(place.day, place.agentId);
        if (entry.delta === 0) onCaughtUp();
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

const bucket = (bus: Bus): Promise<KV> => new Kvm(bus.js).create("cortex_spending", { history: 1, ttl: ttlMs });

/** Whose what stands under a key is, or null: removed, or nothing of ours. */
function placeOf({ key, operation }: KvWatchEntry): { day: string; agentId: string } | null {
  const [day = "", agentId = ""] = key.split(".");
  if (operation !== "PUT" || !/^\d{8}$/.test(day) || !AgentId.safeParse(agentId).success) return null;
  return { day, agentId };
}

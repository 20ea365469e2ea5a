/** What each run has used on a day, told to all workers: a key of its own for each, so that telling it again changes nothing. */
import { type KV, Kvm, type KvWatchEntry } from "@nats-io/kv";
import { z } from "zod";
import { AgentId } from "../protocol/names.ts";
import { Spent } from "../protocol/spent.ts";
import type { Bus } from "./connect.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

/** A day is of interest until its end, which comes later in some places than in others. */
const ttlMs = 3 * 24 * 3_600_000;

const Told = z.object({ persona: z.string(), spent: Spent });

export type SpendingEntry = { day: string; agentId: string; persona: string; spent: Spent };

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
   * @param onCaughtUp what had been told before is known now
   */
  async follow(
    hear: (entry: SpendingEntry) => void,
    { onCaughtUp, signal }: { onCaughtUp: () => void; signal: AbortSignal },
  ): Promise<void> {
    this.#kv = await bucket(this.#bus); // a server that came back may have lost all
    if ((await this.#kv.status()).values === 0) onCaughtUp(); // of nothing, no last one would ever come
    const entries = await this.#kv.watch();
    const stop = () => entries.stop();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      for await (const entry of entries) {
        const read = readEntry(entry);
        if (read) hear(read);
        if (entry.delta === 0) onCaughtUp();
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

const bucket = (bus: Bus): Promise<KV> => new Kvm(bus.js).create("cortex_spending", { history: 1, ttl: ttlMs });

/** What stands under a key, or null: removed, or nothing of ours. */
function readEntry({ key, operation, value }: KvWatchEntry): SpendingEntry | null {
  const [day = "", agentId = ""] = key.split(".");
  if (operation !== "PUT" || !/^\d{8}$/.test(day) || !AgentId.safeParse(agentId).success) return null;
  const told = Told.safeParse(jsonOf(value));
  return told.success ? { day, agentId, ...told.data } : null;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseOwnJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

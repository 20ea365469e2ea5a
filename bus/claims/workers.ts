/** The workers on a bus: each keeps a key that the server lets lapse when its worker is silent. */
import type { KV } from "@nats-io/kv";
import { z } from "zod";
import { openBucket } from "../jetstream/bucket.ts";
import type { Bus } from "../connection/connect.ts";
import { isLeaseFresh, type Moment } from "./lease-validity.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const Worker = z.looseObject({
  worker: z.string(),
  labels: z.array(z.string()),
  capacity: z.number().int(),
});
export type Worker = z.infer<typeof Worker>;

const bucket = "cortex_workers";

export class WorkerLeases {
  readonly #bus: Bus;
  readonly #kv: KV;
  readonly leaseMs: number;
  #renewed: Moment | null = null;
  #isAlone = true;
  #isTrusted = true;

  private constructor(bus: Bus, kv: KV, leaseMs: number) {
    this.#bus = bus;
    this.#kv = kv;
    this.leaseMs = leaseMs;
  }

  /** @param leaseMs after so much silence a worker counts as gone; the same for all workers of a bus: the last to start says how long */
  static async open(bus: Bus, leaseMs: number, replicas = 1): Promise<WorkerLeases> {
    return new WorkerLeases(bus, await openBucket(bus, bucket, replicas, { ttl: leaseMs }), leaseMs);
  }

  /**
   * Whether this worker's own lease surely holds, and all that it holds by it. By the wall clock, which goes on while the
   * machine sleeps, and by the steady one, which nobody sets back.
   */
  get isFresh(): boolean {
    return this.#isTrusted && isLeaseFresh(this.#renewed, present(), this.leaseMs);
  }

  /** The lease has lapsed, or may have: others may have taken over what was held by it. Renewing it gives nothing back. */
  doubt(): void {
    this.#isTrusted = false;
  }

  /** Tells that this worker has made sure of what it still holds. */
  trust(): void {
    this.#isTrusted = true;
  }

  /** Whether there was no other worker when the lease was renewed last. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Renews this worker's lease. It counts from before the server hears of it, so here it lapses first. */
  async renew(worker: Worker): Promise<void> {
    const asked = present();
    await this.#kv.put(worker.worker, JSON.stringify(worker));
    this.#renewed = asked;
    this.#isAlone = (await this.#kv.status()).values <= 1;
  }

  /** Gives this worker's lease up: it takes nothing any more. */
  async end(worker: string): Promise<void> {
    await this.#kv.delete(worker);
  }

  /** Whether another worker's lease holds. */
  async isAlive(worker: string): Promise<boolean> {
    return (await this.#kv.get(worker))?.operation === "PUT";
  }

  /** The workers that there are. */
  async all(): Promise<Worker[]> {
    // Asked of the stream: a watch waits for ever for a last one that lapses before it comes.
    const manager = await this.#bus.manager();
    const prefix = `$KV.${bucket}.`;
    const { state } = await manager.streams.info(`KV_${bucket}`, { subjects_filter: `${prefix}>` });
    const names = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
    const found = await Promise.all(names.map((name) => this.#kv.get(name)));
    return found.flatMap((entry) => (entry?.operation === "PUT" ? [Worker.parse(parseOwnJson(entry.string()))] : []));
  }
}

const present = (): Moment => ({ wall: Date.now(), steady: performance.now() });

/** Publishes the supervisor's events. While the bus is away they are kept, as far as there is room, and published when it is back. */
import { setTimeout as delay } from "node:timers/promises";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { type Bus, type BusAddress, openBus } from "../connection/connect.ts";

/** Events that are kept at most; the oldest goes first. */
const maxKept = 500;
const againMs = 250;
/** Milliseconds after which listeners that lost the bus too are back on it. */
const listenersBackMs = 500;
/** Milliseconds that the last events may take. */
const closeWithinMs = 1000;

export class SupervisorNews implements AsyncDisposable {
  readonly #addressNow: () => BusAddress | null;
  #kept: SupervisorEvent[] = [];
  #publishing: Promise<void> | null = null;
  #bus: { connection: Bus; url: string } | null = null;
  readonly #closed = new AbortController();

  /** @param addressNow where the bus is; null while nobody knows */
  constructor(addressNow: () => BusAddress | null) {
    this.#addressNow = addressNow;
  }

  publish(event: SupervisorEvent): void {
    this.#kept = [...this.#kept, event].slice(-maxKept);
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = null;
    });
  }

  async #publishAll(): Promise<void> {
    let wasAway = false;
    while (this.#kept.length > 0 && !this.#closed.signal.aborted) {
      const bus = await this.#connected();
      if (bus && wasAway) await this.#pause(listenersBackMs);
      if (bus && (await this.#sent(bus))) continue;
      wasAway = true;
      await this.#pause(againMs);
    }
  }

  /** Whether all that is kept has arrived. */
  async #sent(bus: Bus): Promise<boolean> {
    const events = this.#kept;
    for (const event of events)
      bus.connection.publish(subjects.supervisorEvent(event.program, event.event), JSON.stringify(event));
    const hasArrived = await bus.connection.flush().then(
      () => bus.isConnected,
      () => false,
    );
    if (hasArrived) this.#kept = this.#kept.filter((event) => !events.includes(event));
    return hasArrived;
  }

  async #connected(): Promise<Bus | null> {
    const address = this.#addressNow();
    if (this.#bus && this.#bus.url !== address?.url) {
      await this.#bus.connection[Symbol.asyncDispose]();
      this.#bus = null;
    }
    if (this.#bus) return this.#bus.connection.isConnected ? this.#bus.connection : null;
    if (!address) return null;
    const connection = await openBus(address, "supervisor").catch(() => null);
    this.#bus = connection && { connection, url: address.url };
    return connection;
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#closed.signal }).catch(() => {});
  }

  /** Publishes the last events, if the bus takes them soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    const arrived = new AbortController();
    const tooLate = delay(closeWithinMs, undefined, { signal: arrived.signal }).catch(() => {});
    await Promise.race([this.#publishing, tooLate]);
    arrived.abort();
    this.#closed.abort();
    await this.#bus?.connection[Symbol.asyncDispose]();
  }
}

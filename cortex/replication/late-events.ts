/** Drops late events: those that a worker has published of a run which it had already lost to another. */
import type { Bus } from "../../bus/connection/connect.ts";
import { dropEvent, type FedEvent } from "../../bus/events/event-feed.ts";
import { isLate } from "../../bus/events/event-message.ts";
import type { Logger } from "../../proc/logging/log.ts";

/** The runs whose epoch is remembered. */
const maxRemembered = 1000;

export class LateEvents {
  readonly #bus: Bus;
  readonly #log: Pick<Logger, "warn">;
  /** The newest epoch of each run that has changed hands, as far as its events tell. */
  readonly #newest = new Map<string, number>();

  constructor(bus: Bus, log: Pick<Logger, "warn">) {
    this.#bus = bus;
    this.#log = log;
  }

  /** Whether an event is late. A late one is taken out of the stream, so that nobody else reads it. */
  async drop({ agentId, epoch, position }: FedEvent): Promise<boolean> {
    const newest = this.#newest.get(agentId) ?? 0;
    if (epoch > 1 && epoch > newest) this.#remember(agentId, epoch);
    if (!isLate(epoch, newest)) return false;
    this.#log.warn({ agent_id: agentId, epoch, newest }, "dropping a late event of a worker that has lost its run");
    await dropEvent(this.#bus, position);
    return true;
  }

  #remember(agentId: string, epoch: number): void {
    this.#newest.delete(agentId);
    this.#newest.set(agentId, epoch);
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > maxRemembered && oldest !== undefined) this.#newest.delete(oldest);
  }
}

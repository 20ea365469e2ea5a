/** What ended runs owe to the bus: their last events, their child's request, their place in the ledger. */
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../bus/connect.ts";
import type { EventPublisher } from "../bus/events.ts";
import type { Ledger } from "../bus/ledger.ts";
import { publishRequest } from "../bus/requests.ts";
import { readRun } from "../journal/read-run.ts";
import { dropRunFolder } from "../journal/run-folder.ts";
import type { Logger } from "../proc/log.ts";
import { contentHash } from "../protocol/request-content.ts";
import { childOf } from "./run-record.ts";

/** How long what the bus didn't take waits, unless the bus comes back sooner. */
const againMs = 5000;
/** How long a cortex that stops waits for what is under way. What is still owed then, the next start pays. */
const settleMs = 2000;

export type OwedParts = { journal: string; bus: Bus; publisher: EventPublisher; ledger: Ledger; log: Logger };

export class Owed {
  readonly #parts: OwedParts;
  readonly #ids = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: OwedParts) {
    this.#parts = parts;
    parts.bus.onReconnect(() => {
      for (const agentId of this.#ids) this.pay(agentId);
    });
  }

  /** Notes that the bus lacks something of a run, and leaves it for when the bus is back. */
  note(agentId: string): void {
    this.#ids.add(agentId);
  }

  /** Gives the bus what it lacks of an ended run, now or as soon as it takes it. */
  pay(agentId: string): void {
    this.#ids.add(agentId);
    const paying = this.#pay(agentId);
    this.#underWay.add(paying);
    void paying.then(() => this.#underWay.delete(paying));
  }

  /** Waits a little for what is under way. */
  async settled(): Promise<void> {
    const giveUp = new AbortController();
    const timer = delay(settleMs, undefined, { signal: giveUp.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#underWay), timer]);
    giveUp.abort();
  }

  async #pay(agentId: string): Promise<void> {
    const { journal, bus, publisher, ledger, log } = this.#parts;
    try {
      const child = childOf(journal, agentId);
      if (child) await publishRequest(bus, child.request, contentHash(child.request));
      const events = readRun(journal, agentId)?.events ?? [];
      if (!(await publisher.catchUp(agentId, events))) return;
      const entry = await ledger.entry(agentId);
      if (entry) await ledger.update(agentId, { ...entry, state: "ended" });
      dropRunFolder(journal, agentId);
      this.#ids.delete(agentId);
    } catch (error) {
      log.warn({ agent_id: agentId, err: error }, "what is owed to the bus waits");
      setTimeout(() => this.pay(agentId), againMs).unref();
    }
  }
}

/** The simulated bus behind the ports to requests and events: each step is asked for over a worker's link. */
import type { BusRequests } from "../../../cortex/ports/bus-requests.ts";
import type { RunPublisher } from "../../../cortex/ports/ports.ts";
import type { ReadLines } from "../../../bus/events/events.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import type { SimBus } from "../bus.ts";
import type { SimHost } from "../sim-host.ts";
import type { Link } from "../link.ts";
import type { Violations } from "../violations.ts";

export function simRequests(link: Link, bus: SimBus, host: SimHost, violations: Violations): BusRequests {
  return {
    stored: (streamSeq) => link.call(() => bus.requests[streamSeq - 1]?.data ?? null),
    publish(request, hash) {
      violations.handedOn(String(request.handoff_from), host);
      return link.call(() => {
        bus.storeRequest(request, `${request.ts}:${hash}`);
        return bus.requests.length;
      });
    },
    erase: async () => {},
    eraseDelivery: async () => {},
    isCrowded: async () => false,
    accepted: () => {},
    rejected: ({ error }) => violations.refused("a request", error),
    deadLetter: async ({ agent_id, error }) => violations.refused(agent_id ?? "a request", error),
    async *lines(agentId, after = 0) {
      const events = await link.call(() => [...(bus.events.get(agentId) ?? [])]);
      for (const { seq, line } of events) if (seq > after) yield line;
    },
    async *copiedLines() {},
  };
}

/** As bus/events/events.ts: sends while this worker's word counts, and again from the file what the stream lacks. */
export class SimPublisher implements RunPublisher {
  readonly maxRequestBytes = 1_000_000;
  /** How often the connection was lost. */
  losses = 0;
  readonly #link: Link;
  readonly #bus: SimBus;
  readonly #worker: string;
  readonly #mayPublish: (agentId: string) => boolean;

  constructor(link: Link, bus: SimBus, worker: string, mayPublish: (agentId: string) => boolean) {
    this.#link = link;
    this.#bus = bus;
    this.#worker = worker;
    this.#mayPublish = mayPublish;
    link.onReconnect(() => this.losses++);
  }

  onMissing(): void {}
  publishPassing(): void {}
  async paced(): Promise<void> {}

  isOpen(agentId: string): boolean {
    return this.#link.isConnected && this.#mayPublish(agentId);
  }

  publish(event: AgentEvent, line: string): void {
    const { agent_id, seq, event: name } = event;
    if (!this.isOpen(agent_id)) return;
    this.#link.send(() => this.#bus.storeEvent(agent_id, { seq, name, line, event }, this.#worker));
  }

  async catchUp(agentId: string, read: ReadLines): Promise<boolean> {
    if (!this.isOpen(agentId)) return false;
    const last = await this.#link.call(() => this.#bus.lastSeq(agentId));
    for await (const { event, line } of read(last + 1)) {
      if (!this.isOpen(agentId)) return false;
      this.publish(event, line);
    }
    await this.#link.call(() => true);
    return this.isOpen(agentId);
  }

  /** The link keeps the order: what was sent before an answer has arrived. */
  async confirmed(): Promise<boolean> {
    return true;
  }
}

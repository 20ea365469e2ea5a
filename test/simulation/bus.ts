/** A bus: buckets with compare-and-set, a request stream with redelivery, an event stream that stores a message id once. */
import type { Claim, StoredClaim } from "../../bus/claims/claims.ts";
import type { ChildEntry, LedgerEntry } from "../../bus/claims/ledger.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Engine } from "./engine.ts";
import type { Link } from "./link.ts";
import type { BusState, SimEvent, StoredRequest } from "./state.ts";
import { times } from "./times.ts";
import type { Violations } from "./violations.ts";

export class SimBus implements BusState {
  readonly claims = new Map<string, StoredClaim>();
  readonly ledger = new Map<string, { entry: LedgerEntry; revision: number }>();
  readonly children = new Map<string, ChildEntry>();
  /** How often each request was delivered again. */
  readonly again = new Map<number, number>();
  readonly leases = new Map<string, number>();
  readonly events = new Map<string, SimEvent[]>();
  readonly requests: StoredRequest[] = [];
  readonly #engine: Engine;
  readonly #violations: Violations;
  readonly #messageIds = new Set<string>();
  #revision = 0;
  /** The listeners to news of claims and requests. */
  readonly listeners = new Map<
    Link,
    { onClaim: (id: string, stored: StoredClaim) => void; onRequest: (request: StoredRequest) => void }
  >();

  constructor(engine: Engine, violations: Violations) {
    this.#engine = engine;
    this.#violations = violations;
  }

  writeClaim(agentId: string, claim: Claim, expected: number, by: string): number | null {
    if ((this.claims.get(agentId)?.revision ?? 0) !== expected) return null;
    const stored = { claim, revision: ++this.#revision };
    this.claims.set(agentId, stored);
    this.#engine.say(
      `bus: ${agentId} is ${claim.state}, ${claim.worker ?? "nobody"}'s, epoch ${claim.epoch}, attempt ${claim.attempt} (${by})`,
    );
    this.#violations.claimed(agentId, claim, this.claims, this.ledger.get(agentId)?.entry);
    for (const [link, { onClaim }] of this.listeners) {
      link.toWorker(() => onClaim(agentId, stored));
      if (this.#engine.chance(0.03)) link.toWorker(() => onClaim(agentId, stored));
    }
    return stored.revision;
  }

  forgetClaim(agentId: string, upTo: number): void {
    if ((this.claims.get(agentId)?.revision ?? Number.POSITIVE_INFINITY) <= upTo) this.claims.delete(agentId);
  }

  writeEntry(agentId: string, entry: LedgerEntry, expected: number): boolean {
    if ((this.ledger.get(agentId)?.revision ?? 0) !== expected) return false;
    this.#violations.recorded(agentId, entry, this.ledger.get(agentId)?.entry);
    this.ledger.set(agentId, { entry, revision: ++this.#revision });
    return true;
  }

  /** @param messageId stored once under it; without one each time */
  storeRequest(request: Request, messageId: string | null): void {
    if (messageId !== null && this.#messageIds.has(messageId)) return;
    if (messageId !== null) this.#messageIds.add(messageId);
    const data = new TextEncoder().encode(JSON.stringify(request));
    const stored = { streamSeq: this.requests.length + 1, data, isAcked: false, deliveries: 0 };
    this.requests.push(stored);
    this.#violations.asked(String(request.ts));
    this.#engine.say(`bus: request ${request.ts} is stored, ${stored.streamSeq}`);
    const hand = () => {
      if (stored.isAcked) return;
      const [link, listener] = this.#engine.pick([...this.listeners]) ?? [];
      stored.deliveries++;
      link?.toWorker(() => listener?.onRequest(stored));
      this.#engine.after(times.ackWaitMs, hand);
    };
    hand();
  }

  storeEvent(agentId: string, event: SimEvent, worker: string): void {
    let events = this.events.get(agentId);
    if (!events) this.events.set(agentId, (events = []));
    const isDuplicate = events.some(({ seq }) => seq === event.seq);
    this.#violations.published(agentId, event, worker);
    if (isDuplicate) return;
    this.#engine.say(`bus: ${agentId}:${event.seq} ${event.name} of ${worker}`);
    events.push(event);
  }

  lastSeq(agentId: string): number {
    return this.events.get(agentId)?.at(-1)?.seq ?? 0;
  }
}

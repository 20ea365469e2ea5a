/** Requests that wait for a free place: by priority, lower first, then in the order in which they came. */
import { defaultPriority, type Request } from "../../protocol/runs/request/request.ts";

export type WaitingRequest = {
  agentId: string;
  request: Request;
  /** Where the request stands in the stream: the order of arrival. */
  streamSeq: number;
};

export class RequestQueue {
  readonly #waiting = new Map<string, WaitingRequest>();
  #order: WaitingRequest[] = [];

  get size(): number {
    return this.#waiting.size;
  }

  has(agentId: string): boolean {
    return this.#waiting.has(agentId);
  }

  /** Lists the waiting requests, first to start first. */
  all(): readonly WaitingRequest[] {
    return this.#order;
  }

  /** Adds a request, once an id. */
  add(waiting: WaitingRequest): void {
    if (this.#waiting.has(waiting.agentId)) return;
    this.#waiting.set(waiting.agentId, waiting);
    let at = this.#order.length;
    while (at > 0 && isBefore(waiting, this.#order[at - 1] as WaitingRequest)) at--;
    this.#order.splice(at, 0, waiting);
  }

  /** Takes the next one, or one by its id. */
  takeRequest(agentId = this.#order[0]?.agentId): WaitingRequest | undefined {
    const waiting = agentId === undefined ? undefined : this.#waiting.get(agentId);
    if (!waiting) return undefined;
    this.#waiting.delete(waiting.agentId);
    this.#order.splice(this.#order.indexOf(waiting), 1);
    return waiting;
  }
}

function isBefore(a: WaitingRequest, b: WaitingRequest): boolean {
  const [first, second] = [a.request.priority ?? defaultPriority, b.request.priority ?? defaultPriority];
  return first === second ? a.streamSeq < b.streamSeq : first < second;
}

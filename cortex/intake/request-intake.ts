/** Handles request deliveries; dead-letters those that keep failing. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { RequestDelivery } from "../../bus/runs/requests.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { acceptRequest } from "./accept.ts";
import type { Claims } from "../claims/claims.ts";
import type { Ports } from "../ports/ports.ts";
import { deadLetterDelivery, maxDeliveries } from "./dead-letter.ts";
import type { Ids } from "./ids.ts";
import type { WaitingRequest } from "./queue.ts";
import type { RequestErasure } from "./request-erasure.ts";

/** How many requests may wait, unless the settings say otherwise. */
const defaultMaxQueued = 10_000;

export type RequestIntakeDeps = Pick<Ports, "clock" | "files" | "requests" | "ledger"> & {
  worker: string;
  claims: Claims;
  ids: Ids;
  erasure: RequestErasure;
  settings: () => Settings;
  log: Logger;
  /** How many requests wait here. */
  waiting: () => number;
  enqueue: (waiting: WaitingRequest) => void;
};

export class RequestIntake {
  readonly #deps: RequestIntakeDeps;
  /** Why requests couldn't be taken that will come again. */
  readonly #failures = new Map<number, string>();

  constructor(deps: RequestIntakeDeps) {
    this.#deps = deps;
  }

  /** Takes a stored request, refuses it, or gives it up. @throws Error when it has to be delivered again */
  async handleDelivery(delivery: RequestDelivery): Promise<void> {
    const { ledger } = this.#deps;
    const { streamSeq } = delivery;
    const deliveries = delivery.isAgain ? await ledger.countDelivery(streamSeq) : 1;
    const failure = this.#failures.get(streamSeq) ?? "cortex ended while it took it";
    if (deliveries > maxDeliveries) await deadLetterDelivery(this.#deps, delivery, failure);
    else await this.#accept(delivery);
    this.#failures.delete(streamSeq);
  }

  async #accept(delivery: RequestDelivery): Promise<void> {
    try {
      await acceptRequest(delivery, { ...this.#deps, refuses: () => this.#refuses() });
    } catch (error) {
      this.#failures.set(delivery.streamSeq, messageOf(error));
      throw error;
    }
  }

  /** Why nothing can be taken now, or null. */
  #refuses(): string | null {
    const { files, settings, waiting } = this.#deps;
    const { max_queued = defaultMaxQueued, min_free_bytes } = settings();
    if (waiting() >= max_queued)
      return `${waiting()} requests are waiting, which is the most (max_queued): ask again later`;
    return files.hasRoom(min_free_bytes)
      ? null
      : `${files.freeBytes()} bytes are free on the journal's disk, which is less than it keeps (min_free_bytes): make room`;
  }
}

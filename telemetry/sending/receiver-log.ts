/**
 * Log of what the receiver says to each kind of data: once, and again when it is another. A receiver that takes traces alone refuses
 * the metrics of each batch, one a second.
 */
import type { Logger } from "../../proc/logging/log.ts";
import type { Outgoing } from "./kept-telemetry.ts";
import type { SendOutcome } from "./send-once.ts";

/** An answer after which nothing is sent again. */
export type FinalOutcome = Exclude<SendOutcome, { is: "unanswered" }>;

export class ReceiverLog {
  readonly #log: Pick<Logger, "info" | "warn" | "error">;
  /** The last answer to each kind of data, as far as it is told, and the bodies that were dropped since it began. */
  readonly #last = new Map<Outgoing["path"], { told: string; dropped: number }>();

  constructor(log: Pick<Logger, "info" | "warn" | "error">) {
    this.#log = log;
  }

  report(path: Outgoing["path"], outcome: FinalOutcome): void {
    const told = toldOf(outcome);
    const last = this.#last.get(path) ?? { told: "", dropped: 0 };
    const dropped = (last.told === told ? last.dropped : 0) + (outcome.is === "refused" ? 1 : 0);
    this.#last.set(path, { told, dropped });
    if (told === last.told) return;
    if (outcome.is === "refused")
      this.#log.error(
        { path, why: outcome.why },
        "the receiver refuses what is sent: it is dropped, each time until it says otherwise",
      );
    else if (outcome.warning !== undefined)
      this.#log.warn({ path, why: outcome.warning }, "the receiver has taken what was sent, and says something of it");
    else if (last.dropped > 0) this.#log.info({ path, dropped: last.dropped }, "the receiver takes what is sent again");
  }
}

/** The part of an answer that makes it another one. A refusal's text may name the time or the request. */
const toldOf = (outcome: FinalOutcome): string =>
  outcome.is === "refused" ? `refused ${outcome.status}` : (outcome.warning ?? "");

/** Ids of runs: the next that is free, and the ledger's word that nobody else gets it. */
import type { Ledger, LedgerEntry } from "../bus/ledger.ts";
import { runState } from "../journal/run-files.ts";
import type { Logger } from "../proc/log.ts";
import type { Request } from "../protocol/request.ts";
import { contentHash } from "../protocol/request-content.ts";

/** The stream position of a request that cortex itself has yet to publish. */
export const reserved = 0;

export class Ids {
  readonly #journal: string;
  readonly #ledger: Ledger;
  readonly #log: Logger;
  readonly #isWaiting: (agentId: string) => boolean;
  #last = 0;

  /** @param isWaiting whether an id belongs to a request that has no file yet */
  constructor(journal: string, ledger: Ledger, log: Logger, isWaiting: (agentId: string) => boolean) {
    this.#journal = journal;
    this.#ledger = ledger;
    this.#log = log;
    this.#isWaiting = isWaiting;
  }

  /** An id for a request that came without one: the same at each delivery. */
  async assign(streamSeq: number, entry: LedgerEntry): Promise<string> {
    let agentId = await this.#ledger.assign(streamSeq, this.#free());
    for (;;) {
      const known = await this.#ledger.record(agentId, entry);
      if (known === null || known.stream_seq === streamSeq) return agentId;
      agentId = this.#free();
      await this.#ledger.reassign(streamSeq, agentId);
    }
  }

  /** Reserves an id for a request of cortex's own. While the bus is away, what is known here has to do. */
  async reserve(request: Request): Promise<string> {
    for (;;) {
      const agentId = this.#free();
      const hash = contentHash({ ...request, ts: Number(agentId) });
      try {
        const entry = { hash, state: "queued", stream_seq: reserved } as const;
        if ((await this.#ledger.record(agentId, entry)) === null) return agentId;
      } catch (error) {
        this.#log.warn({ agent_id: agentId, err: error }, "the ledger doesn't answer; the id is taken as free");
        return agentId;
      }
    }
  }

  /** The next id that nobody has here: the clock's, or one after the last. */
  #free(): string {
    do this.#last = Math.max(this.#last + 1, Date.now());
    while (this.#isWaiting(String(this.#last)) || runState(this.#journal, String(this.#last)) !== "absent");
    return String(this.#last);
  }
}

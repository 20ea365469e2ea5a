/** Ids of runs: the next that is free, and the ledger's word that nobody else gets it. */
import type { Ledger, LedgerEntry } from "../../bus/claims/ledger.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Request } from "../../protocol/runs/request.ts";
import { contentHash } from "../../protocol/runs/request-content.ts";
import { reserved } from "./deduplication.ts";

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
    failpoint("id-assigned");
    for (;;) {
      const known = await this.#ledger.record(agentId, entry);
      if (known === null || known.stream_seq === streamSeq) return agentId;
      agentId = this.#free();
      await this.#ledger.reassign(streamSeq, agentId);
    }
  }

  /**
   * Reserves an id for the child of a run: the same each time. While the bus is away, what is known here has to do.
   * @param chainLength how many runs the chain has, the child included
   */
  async reserve(parent: string, request: Request, chainLength: number): Promise<string> {
    let agentId = this.#free();
    try {
      const child = await this.#ledger.claimChild(parent, { agent_id: agentId, chain_length: chainLength });
      agentId = child.agent_id;
      for (;;) {
        const hash = contentHash({ ...request, ts: Number(agentId) });
        const entry = { hash, stream_seq: reserved, parent };
        const known = await this.#ledger.record(agentId, entry);
        if (known?.parent === parent)
          await this.#ledger.change(agentId, (now) => (now.stream_seq === reserved ? entry : null));
        if (known === null || known.parent === parent) return agentId;
        agentId = this.#free();
        await this.#ledger.replaceChild(parent, { ...child, agent_id: agentId });
      }
    } catch (error) {
      this.#log.warn({ agent_id: agentId, err: error }, "the ledger doesn't answer; the id is taken as free");
      return agentId;
    }
  }

  /** The next id that nobody has here: the clock's, or one after the last. */
  #free(): string {
    do this.#last = Math.max(this.#last + 1, Date.now());
    while (this.#isWaiting(String(this.#last)) || runState(this.#journal, String(this.#last)) !== "absent");
    return String(this.#last);
  }
}

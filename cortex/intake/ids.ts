/** Ids of runs: the next that is free, and the ledger's word that nobody else gets it. */
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { contentHash } from "../../protocol/runs/request/request-content.ts";
import type { Ports } from "../ports/ports.ts";
import { reserved } from "./deduplication.ts";

export type IdsDeps = Pick<Ports, "clock" | "files" | "ledger"> & {
  log: Logger;
  /** Whether an id belongs to a request that has no file yet. */
  isWaiting: (agentId: string) => boolean;
};

export class Ids {
  readonly #deps: IdsDeps;
  #last = 0;

  constructor(deps: IdsDeps) {
    this.#deps = deps;
  }

  /** An id for a request that came without one: the same at each delivery. */
  async assign(streamSeq: number, entry: LedgerEntry): Promise<string> {
    const { ledger } = this.#deps;
    let agentId = await ledger.assign(streamSeq, this.#free());
    failpoint("id-assigned");
    for (;;) {
      const known = await ledger.record(agentId, entry);
      if (known === null || known.stream_seq === streamSeq) return agentId;
      agentId = this.#free();
      await ledger.reassign(streamSeq, agentId);
    }
  }

  /**
   * Reserves an id for the child of a run: the same each time. While the bus is away, what is known here has to do.
   * @param chainLength how many runs the chain has, the child included
   */
  async reserve(parent: string, request: Request, chainLength: number): Promise<string> {
    const { ledger, log } = this.#deps;
    let agentId = this.#free();
    try {
      const child = await ledger.claimChild(parent, { agent_id: agentId, chain_length: chainLength });
      agentId = child.agent_id;
      for (;;) {
        const hash = contentHash({ ...request, ts: Number(agentId) });
        const entry = { hash, stream_seq: reserved, parent };
        const known = await ledger.record(agentId, entry);
        if (known?.parent === parent)
          await ledger.change(agentId, (now) => (now.stream_seq === reserved ? entry : null));
        if (known === null || known.parent === parent) return agentId;
        agentId = this.#free();
        await ledger.replaceChild(parent, { ...child, agent_id: agentId });
      }
    } catch (error) {
      log.warn({ agent_id: agentId, err: error }, "the ledger doesn't answer; the id is taken as free");
      return agentId;
    }
  }

  /** The next id that nobody has here: the clock's, or one after the last. */
  #free(): string {
    const { clock, files, isWaiting } = this.#deps;
    do this.#last = Math.max(this.#last + 1, clock.now().wall);
    while (isWaiting(String(this.#last)) || files.state(String(this.#last)) !== "absent");
    return String(this.#last);
  }
}

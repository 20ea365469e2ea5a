/** Decides whether a recorded request is new, by what the ledger says of its id. Pure. */
import type { LedgerEntry } from "../../bus/claims/ledger.ts";

/** The stream position of a request that cortex itself has yet to publish. */
export const reserved = 0;

/**
 * `new`: this delivery's to offer, or again to offer. `duplicate`: another delivery has it, or it has ended, so nothing is to be
 * done. `conflict`: the id belongs to another request.
 */
export type Deduplication = "new" | "duplicate" | "conflict";

/** @param known what stands in the ledger; the other is what this delivery would have written */
export function deduplicate(known: LedgerEntry, { hash, stream_seq }: LedgerEntry): Deduplication {
  if (known.stream_seq !== stream_seq && known.hash !== hash) return "conflict";
  if (known.ended) return "duplicate";
  return known.stream_seq === stream_seq || known.stream_seq === reserved ? "new" : "duplicate";
}

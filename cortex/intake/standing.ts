/** Whose a recorded request is, by what the ledger says of its id. Pure. */
import type { LedgerEntry } from "../../bus/claims/ledger.ts";

/** The stream position of a request that cortex itself has yet to publish. */
export const reserved = 0;

/**
 * `ours`: this delivery's to offer, or again to offer. `same`: another delivery has it, or it has ended, so nothing is to be
 * done. `foreign`: the id belongs to another request.
 */
export type Standing = "ours" | "same" | "foreign";

/** @param known what stands in the ledger; the other is what this delivery would have written */
export function standingOf(known: LedgerEntry, { hash, stream_seq }: LedgerEntry): Standing {
  if (known.stream_seq !== stream_seq && known.hash !== hash) return "foreign";
  if (known.ended) return "same";
  return known.stream_seq === stream_seq || known.stream_seq === reserved ? "ours" : "same";
}

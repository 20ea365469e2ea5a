/** Records a request under its id and offers it to the workers. Safe to repeat, at whatever line it ended before. */
import type { Claim } from "../../bus/claims/claims.ts";
import type { Ledger, LedgerEntry } from "../../bus/claims/ledger.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { reserved, type Deduplication, deduplicate } from "./deduplication.ts";

export type RecordDeps = {
  ledger: Pick<Ledger, "record" | "change">;
  claims: { offer: (agentId: string, claim: Pick<Claim, "stream_seq" | "priority" | "labels">) => Promise<void> };
  /** Looks for an id that the ledger doesn't know: the ledger forgets after a month, the files don't. */
  deduplicateByFile: (agentId: string) => Deduplication | Promise<Deduplication>;
};

export async function recordRequest(
  agentId: string,
  entry: LedgerEntry,
  { priority, labels }: Pick<Claim, "priority" | "labels">,
  { ledger, claims, deduplicateByFile }: RecordDeps,
): Promise<Deduplication> {
  const { stream_seq } = entry;
  const known = await ledger.record(agentId, entry);
  failpoint("recorded");
  const found = known ? deduplicate(known, entry) : await deduplicateByFile(agentId);
  if (found === "conflict") return found;
  if (known?.stream_seq === reserved)
    await ledger.change(agentId, (now) => (now.stream_seq === reserved ? { ...now, stream_seq } : null));
  if (found === "new") {
    await claims.offer(agentId, { stream_seq, priority, labels });
    failpoint("offered");
  }
  return found;
}

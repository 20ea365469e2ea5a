/** Records a request under its id and offers it to the workers. Safe to repeat, at whatever line it ended before. */
import type { Claim } from "../../bus/claims/claims.ts";
import type { Ledger, LedgerEntry } from "../../bus/claims/ledger.ts";
import { reached } from "../../proc/programs/durable-point.ts";
import { reserved, type Standing, standingOf } from "./standing.ts";

export type RecordParts = {
  ledger: Pick<Ledger, "record" | "change">;
  claims: { offer: (agentId: string, claim: Pick<Claim, "stream_seq" | "priority" | "labels">) => Promise<void> };
  /** Whose an id is that the ledger doesn't know: the ledger forgets after a month, the files don't. */
  standingByFile: (agentId: string) => Standing | Promise<Standing>;
};

export async function recordRequest(
  agentId: string,
  entry: LedgerEntry,
  { priority, labels }: Pick<Claim, "priority" | "labels">,
  { ledger, claims, standingByFile }: RecordParts,
): Promise<Standing> {
  const { stream_seq } = entry;
  const known = await ledger.record(agentId, entry);
  reached("recorded");
  const standing = known ? standingOf(known, entry) : await standingByFile(agentId);
  if (standing === "foreign") return standing;
  if (known?.stream_seq === reserved)
    await ledger.change(agentId, (now) => (now.stream_seq === reserved ? { ...now, stream_seq } : null));
  if (standing === "ours") {
    await claims.offer(agentId, { stream_seq, priority, labels });
    reached("offered");
  }
  return standing;
}

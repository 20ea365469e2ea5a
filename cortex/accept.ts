/** Takes a stored request: records it once, or refuses it. */
import type { Bus } from "../bus/connect.ts";
import { publishAccepted, publishRejection } from "../bus/control.ts";
import type { Ledger, LedgerEntry } from "../bus/ledger.ts";
import type { Delivery } from "../bus/requests.ts";
import { readRun } from "../journal/read-run.ts";
import { runState } from "../journal/run-files.ts";
import type { Request } from "../protocol/request.ts";
import { contentHash, redacted } from "../protocol/request-content.ts";
import { type Ids, reserved } from "./ids.ts";
import type { Waiting } from "./queue.ts";
import { readRequest } from "./read-request.ts";

export type AcceptParts = {
  journal: string;
  bus: Bus;
  ledger: Ledger;
  ids: Ids;
  /** How many requests wait, and how many may. */
  queued: number;
  maxQueued: number;
  enqueue: (waiting: Waiting) => void;
};

/** Records first, then says so. The bus is told last, so nothing is lost in between. */
export async function accept(delivery: Delivery, parts: AcceptParts): Promise<void> {
  const { bus, ledger, ids, journal, queued, maxQueued } = parts;
  const { streamSeq, replyTo } = delivery;
  const reading = readRequest(delivery.data);
  if (!reading.ok) {
    publishRejection(bus, reading.rejection, replyTo);
    return delivery.ack();
  }
  const { request, hash } = reading;
  const refuse = (error: string, reason: "duplicate_id" | "overloaded") => {
    publishRejection(bus, { error, reason, request: redacted(request) }, replyTo);
    return delivery.ack();
  };
  if (queued >= maxQueued)
    return refuse(`${queued} requests are waiting, which is the most (max_queued): ask again later`, "overloaded");

  const entry: LedgerEntry = { hash, state: "queued", stream_seq: streamSeq };
  const agentId = reading.agentId ?? (await ids.assign(streamSeq, entry));
  const known = await ledger.record(agentId, entry);
  const standing = standingOf(known, entry, () => isTaken(journal, agentId, request));
  if (standing === "foreign")
    return refuse(`the id ${agentId} belongs to another request: leave ts out, or give a free one`, "duplicate_id");
  if (known?.stream_seq === reserved) await ledger.update(agentId, { ...known, stream_seq: streamSeq });
  publishAccepted(bus, agentId, replyTo);
  if (standing === "ours") parts.enqueue({ agentId, request, streamSeq });
  return delivery.ack();
}

/**
 * What the ledger says of a request. `ours`: this delivery's, or one that cortex itself reserved. `same`: another delivery
 * has it, so nothing is to be done. `foreign`: the id belongs to another request.
 */
function standingOf(
  known: LedgerEntry | null,
  { hash, stream_seq }: LedgerEntry,
  isTakenByFile: () => boolean,
): "ours" | "same" | "foreign" {
  // The ledger forgets after a month; the files don't.
  if (known === null) return isTakenByFile() ? "foreign" : "ours";
  if (known.stream_seq === stream_seq) return "ours";
  if (known.hash !== hash) return "foreign";
  return known.stream_seq === reserved ? "ours" : "same";
}

/** Whether a run of this id stands in the journal that was asked something else. */
function isTaken(journal: string, agentId: string, request: Request): boolean {
  if (runState(journal, agentId) === "absent") return false;
  const line = readRun(journal, agentId)?.events.find((event) => event.event === "request");
  if (!line) return true;
  const { ts: _, agent_id: __, seq: ___, ...said } = line;
  const { ts: ____, agent_id: _____, ...asked } = redacted(request) as Request;
  return contentHash(said as unknown as Request) !== contentHash(asked as Request);
}

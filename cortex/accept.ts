/** Takes a stored request: records it once and offers it to the workers, or refuses it. */
import type { Bus } from "../bus/connect.ts";
import { publishAccepted, publishRejection } from "../bus/control.ts";
import type { Ledger, LedgerEntry } from "../bus/ledger.ts";
import type { Delivery } from "../bus/requests.ts";
import { readRun } from "../journal/read-run.ts";
import { runState } from "../journal/run-files.ts";
import type { Logger } from "../proc/log.ts";
import { defaultPriority, type Request } from "../protocol/request.ts";
import { contentHash, redacted } from "../protocol/request-content.ts";
import type { Claims } from "./claims.ts";
import type { Ids } from "./ids.ts";
import type { Waiting } from "./queue.ts";
import { type Reading, readRequest } from "./read-request.ts";
import { recordRequest } from "./record-request.ts";
import type { SpentRequests } from "./spent-requests.ts";
import type { Standing } from "./standing.ts";
import { reached } from "../proc/durable-point.ts";

export type AcceptParts = {
  journal: string;
  bus: Bus;
  ledger: Ledger;
  claims: Claims;
  ids: Ids;
  spent: SpentRequests;
  /** Why nothing can be taken now, or null. */
  refuses: () => string | null;
  enqueue: (waiting: Waiting) => void;
  log: Logger;
};

/** Records first, then says so. The bus is told last, so nothing is lost in between, and what isn't needed is surely erased. */
export async function accept(delivery: Delivery, parts: AcceptParts): Promise<void> {
  const { bus, ledger, claims, ids, spent, journal } = parts;
  const { streamSeq, replyTo } = delivery;
  const reading = readRequest(delivery.data);
  if (!reading.ok) {
    publishRejection(bus, reading.rejection, replyTo);
    await forget(spent, delivery, reading.rejection.request);
    return delivery.ack();
  }
  const { request, hash } = reading;
  const refuse = async (error: string, reason: "duplicate_id" | "overloaded") => {
    const shown = redacted(request);
    publishRejection(bus, { error, reason, request: shown }, replyTo);
    await forget(spent, delivery, shown);
    await delivery.ack();
  };
  const why = parts.refuses();
  if (why !== null && !(await isKnown(reading, streamSeq, ledger))) return refuse(why, "overloaded");

  const entry: LedgerEntry = { hash, stream_seq: streamSeq };
  const agentId = reading.agentId ?? (await ids.assign(streamSeq, entry));
  const { priority = defaultPriority, labels = [] } = request;
  const standing = await recordRequest(
    agentId,
    entry,
    { priority, labels },
    { ledger, claims, standingByFile: () => standingByFile(journal, agentId, request) },
  );
  if (standing === "foreign")
    return refuse(`the id ${agentId} belongs to another request: leave ts out, or give a free one`, "duplicate_id");
  publishAccepted(bus, agentId, replyTo);
  if (standing === "ours") parts.enqueue({ agentId, request, streamSeq });
  else await forgetCopy(agentId, delivery, request, parts);
  await delivery.ack();
  reached("acknowledged");
}

/**
 * What was accepted once stays so: it may come again, or have been recorded when this cortex died. And what a run hands on
 * is owed, also where its id couldn't be recorded while the bus was away.
 */
async function isKnown(
  { request, agentId: given, hash }: Extract<Reading, { ok: true }>,
  streamSeq: number,
  ledger: Ledger,
): Promise<boolean> {
  const agentId = given ?? (await ledger.assigned(streamSeq));
  if (agentId === null) return false;
  if ((await ledger.entry(agentId))?.hash === hash) return true;
  const { handoff_from } = request;
  return handoff_from !== undefined && (await ledger.childOf(handoff_from))?.agent_id === agentId;
}

/** A copy of a request, or one whose run has ended: nobody will read it again. */
async function forgetCopy(agentId: string, delivery: Delivery, request: Request, parts: AcceptParts): Promise<void> {
  const entry = await parts.ledger.entry(agentId);
  // Where the bus has forgotten that it ended, and what was erased is there again, the file knows.
  const isOver = entry?.ended !== undefined || runState(parts.journal, agentId) === "ended";
  if (isOver || (entry && entry.stream_seq !== delivery.streamSeq))
    await forget(parts.spent, delivery, redacted(request));
}

function forget(spent: SpentRequests, { streamSeq, data }: Delivery, shown: unknown): Promise<void> {
  return spent.forget(streamSeq, shown, (stored) => Buffer.compare(stored, data) === 0);
}

/** The ledger forgets after a month; the files don't. */
function standingByFile(journal: string, agentId: string, request: Request): Standing {
  if (runState(journal, agentId) === "absent") return "ours";
  const line = readRun(journal, agentId)?.events.find((event) => event.event === "request");
  if (!line) return "foreign";
  const { ts: _, agent_id: __, seq: ___, ...said } = line;
  const { ts: ____, agent_id: _____, ...asked } = redacted(request) as Request;
  return contentHash(said as unknown as Request) === contentHash(asked as Request) ? "same" : "foreign";
}

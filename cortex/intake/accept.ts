/** Takes a stored request: records it once and offers it to the workers, or refuses it. */
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import type { RequestDelivery } from "../../bus/runs/requests.ts";
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { defaultPriority, type Request } from "../../protocol/runs/request/request.ts";
import { contentHash, redacted } from "../../protocol/runs/request/request-content.ts";
import type { Rejection } from "../../protocol/runs/subjects.ts";
import type { Claims } from "../claims/claims.ts";
import type { BusRequests } from "../ports/bus-requests.ts";
import type { Ports, RunLedger } from "../ports/ports.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Ids } from "./ids.ts";
import type { WaitingRequest } from "./queue.ts";
import { type ReadRequest, readRequest } from "./read-request.ts";
import { recordRequest } from "./record-request.ts";
import type { RequestErasure } from "./request-erasure.ts";
import type { Deduplication } from "./deduplication.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";

export type AcceptDeps = Pick<Ports, "files" | "requests" | "ledger"> & {
  claims: Claims;
  ids: Ids;
  erasure: RequestErasure;
  /** Why nothing can be taken now, or null. */
  refuses: () => string | null;
  enqueue: (waiting: WaitingRequest) => void;
};

/** Records first, then says so. The bus is told last, so nothing is lost in between, and what isn't needed is surely erased. */
export async function acceptRequest(delivery: RequestDelivery, deps: AcceptDeps): Promise<void> {
  const { requests, ledger, claims, ids, files } = deps;
  const { streamSeq, replyTo } = delivery;
  const reading = readRequest(delivery.data);
  if (!reading.ok) return refuseRequest(requests, delivery, reading.rejection);
  const { request, hash } = reading;
  const refuseFor = (error: string, reason: "duplicate_id" | "overloaded") =>
    refuseRequest(requests, delivery, { error, reason, request: redacted(request) });
  const why = deps.refuses();
  if (why !== null && !(await isKnown(reading, streamSeq, ledger))) return refuseFor(why, "overloaded");

  const entry: LedgerEntry = { hash, stream_seq: streamSeq };
  const agentId = reading.agentId ?? (await ids.assign(streamSeq, entry));
  const { priority = defaultPriority, labels = [] } = request;
  const found = await recordRequest(
    agentId,
    entry,
    { priority, labels },
    { ledger, claims, deduplicateByFile: () => deduplicateByFile(files, agentId, request) },
  );
  if (found === "conflict")
    return refuseFor(`the id ${agentId} belongs to another request: leave ts out, or give a free one`, "duplicate_id");
  requests.accepted(agentId, replyTo);
  if (found === "new") deps.enqueue({ agentId, request, streamSeq });
  else await eraseCopy(agentId, delivery, request, deps);
  await delivery.ack();
  failpoint("acknowledged");
}

/** Says so, then erases it: who goes through the stream after a loss mustn't take what was refused. */
export async function refuseRequest(
  requests: BusRequests,
  delivery: RequestDelivery,
  rejection: Rejection,
): Promise<void> {
  requests.rejected(rejection, delivery.replyTo);
  await requests.eraseDelivery(delivery);
  await delivery.ack();
}

/**
 * Tests for a request that was accepted before: it stays so, may come again, or have been recorded when this cortex
 * died. And what a run hands on is promised, also where its id couldn't be recorded while the bus was away.
 */
async function isKnown(
  { request, agentId: given, hash }: Extract<ReadRequest, { ok: true }>,
  streamSeq: number,
  ledger: RunLedger,
): Promise<boolean> {
  const agentId = given ?? (await ledger.assigned(streamSeq));
  if (agentId === null) return false;
  if ((await ledger.entry(agentId))?.hash === hash) return true;
  const { handoff_from } = request;
  return handoff_from !== undefined && (await ledger.childOf(handoff_from))?.agent_id === agentId;
}

/** A copy of a request, or one whose run has ended: nobody will read it again. */
export async function eraseCopy(
  agentId: string,
  { streamSeq, data }: RequestDelivery,
  request: Request,
  { ledger, erasure, files }: Pick<AcceptDeps, "ledger" | "erasure" | "files">,
): Promise<void> {
  const entry = await ledger.entry(agentId);
  // Where the bus has forgotten that it ended, and what was erased is there again, the file knows.
  const isOver = entry?.ended !== undefined || files.state(agentId) === "ended";
  if (isOver || (entry && entry.stream_seq !== streamSeq))
    await erasure.erase(streamSeq, redacted(request), (stored) => Buffer.compare(stored, data) === 0);
}

/** The ledger forgets after a month; the files don't. An id whose file can't be read is taken all the same. */
async function deduplicateByFile(files: RunFiles, agentId: string, request: Request): Promise<Deduplication> {
  if (files.state(agentId) === "absent") return "new";
  const line = await requestLineOf(files, agentId);
  if (!line) return "conflict";
  const [said, asked] = [askedIn(line), askedIn(redacted(request) as Request)];
  return contentHash(said) === contentHash(asked) ? "duplicate" : "conflict";
}

/**
 * Restores the request as it was asked, without what cortex knows and adds to the line: times, and the references of
 * files.
 */
function askedIn(line: Record<string, unknown>): Request {
  const { ts: _, agent_id: __, seq: ___, parts: ____, conversation, ...asked } = line;
  if (!Array.isArray(conversation)) return asked as Request;
  const messages = conversation.filter(isRecord).map(({ parts: _____, ...message }) => message);
  return { ...asked, conversation: messages } as unknown as Request;
}

async function requestLineOf(files: RunFiles, agentId: string): Promise<AgentEvent | null> {
  try {
    return await files.find(agentId, ["request"]);
  } catch (error) {
    if (error instanceof FileLinesError) return null;
    throw error;
  }
}

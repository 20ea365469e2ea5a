/** Dead-letters requests that can't be delivered, for people to decide on. */
import { ZodError } from "zod";
import type { RequestDelivery } from "../../bus/runs/requests.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { redacted } from "../../protocol/runs/request/request-content.ts";
import { eraseCopy, refuseRequest } from "./accept.ts";
import type { Claims } from "../claims/claims.ts";
import type { Ports } from "../ports/ports.ts";
import { type ReadRequest, readRequest } from "./read-request.ts";
import type { RequestErasure } from "./request-erasure.ts";

/** So often a request is delivered at most. One that ends cortex each time is found by it, too: deliveries are counted before. */
export const maxDeliveries = 10;

export type DeadLetterDeps = Pick<Ports, "clock" | "requests" | "ledger"> & {
  claims: Pick<Claims, "get" | "takeClaim" | "end">;
  worker: string;
  log: Logger;
};

/**
 * Puts a request away that couldn't be taken, and says so to whoever waits for it. One that was taken or refused only lacks
 * what comes after that.
 */
export async function deadLetterDelivery(
  deps: DeadLetterDeps & Pick<Ports, "files"> & { erasure: RequestErasure },
  delivery: RequestDelivery,
  error: string,
): Promise<void> {
  const { clock, requests, log } = deps;
  const { streamSeq, data, replyTo } = delivery;
  const reading = readRequest(data);
  if (!reading.ok) return refuseRequest(requests, delivery, reading.rejection);
  const takenAs = await idOfTaken(deps, reading, streamSeq);
  if (takenAs !== null) {
    requests.accepted(takenAs, replyTo);
    await eraseCopy(takenAs, delivery, reading.request, deps);
    return delivery.ack();
  }
  const letter = { ts: clock.now().wall, reason: "undeliverable", error, stream_seq: streamSeq } as const;
  await requests.deadLetter({ ...letter, deliveries: maxDeliveries, data: Buffer.from(data).toString("base64") });
  log.error({ stream_seq: streamSeq, error }, "a request couldn't be taken: see cortex runs dead list");
  const message = `it couldn't be taken in ${maxDeliveries} deliveries (${error}): see cortex runs dead list`;
  // The letter has it now: whatever reads the stream again must not find it, nor its secrets.
  await refuseRequest(requests, delivery, { error: message, reason: "invalid", request: redacted(reading.request) });
}

/**
 * The id under which it was recorded and offered before, so that it waits, runs or has run; or null.
 * @throws Error when the bus doesn't answer
 */
async function idOfTaken(
  { ledger, claims }: DeadLetterDeps,
  { agentId: given, hash }: Extract<ReadRequest, { ok: true }>,
  streamSeq: number,
): Promise<string | null> {
  try {
    const agentId = given ?? (await ledger.assigned(streamSeq));
    const entry = agentId === null ? null : await ledger.entry(agentId);
    if (agentId === null || entry === null) return null;
    if (entry.stream_seq !== streamSeq) return entry.hash === hash ? agentId : null;
    return entry.ended || claims.get(agentId) ? agentId : null;
  } catch (error) {
    // What stands there and can't be read may be just what keeps it from being taken.
    if (error instanceof SyntaxError || error instanceof ZodError) return null;
    throw error;
  }
}

/** Puts a request away that the stream doesn't have any more: it waited for longer than the stream keeps one, or the stream was damaged. */
export async function deadLetterMissing(deps: DeadLetterDeps, agentId: string, streamSeq: number): Promise<void> {
  const { clock, requests, ledger, claims, worker, log } = deps;
  if (!(await claims.takeClaim(agentId))) return;
  const error = "the bus no longer has it: it waited for too long, or the bus's store was damaged";
  const letter = { ts: clock.now().wall, reason: "gone", error, stream_seq: streamSeq, agent_id: agentId } as const;
  await requests.deadLetter({ ...letter, deliveries: 1 });
  log.error({ agent_id: agentId, stream_seq: streamSeq, error }, "a request is lost: see cortex runs dead list");
  const ended = { worker, epoch: claims.get(agentId)?.epoch ?? 0 };
  await ledger.change(agentId, (entry) => (entry.ended ? null : { ...entry, ended }));
  await claims.end(agentId);
}

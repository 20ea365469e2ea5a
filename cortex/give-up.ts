/** When a request can't be delivered: it becomes a dead letter, for people to decide on. */
import type { Bus } from "../bus/connect.ts";
import { publishAccepted, publishRejection } from "../bus/control.ts";
import { putDeadLetter } from "../bus/dead-letters.ts";
import type { Ledger } from "../bus/ledger.ts";
import { type Delivery, eraseRequest } from "../bus/requests.ts";
import type { Logger } from "../proc/log.ts";
import { redacted } from "../protocol/request-content.ts";
import type { Claims } from "./claims.ts";
import { readRequest } from "./read-request.ts";

/** So often a request is delivered at most. One that ends cortex each time is found by it, too: deliveries are counted before. */
export const maxDeliveries = 10;

export type GiveUpParts = { bus: Bus; ledger: Ledger; claims: Claims; worker: string; log: Logger };

/** Puts a request away that couldn't be taken, and says so to whoever waits for it. One that was taken needs its acknowledgement alone. */
export async function giveUpDelivery(parts: GiveUpParts, delivery: Delivery, error: string): Promise<void> {
  const { bus, log } = parts;
  const { streamSeq, data, replyTo } = delivery;
  const takenAs = await idOfTaken(parts, delivery);
  if (takenAs !== null) {
    publishAccepted(bus, takenAs, replyTo);
    return delivery.ack();
  }
  const letter = { ts: Date.now(), reason: "undeliverable", error, stream_seq: streamSeq } as const;
  await putDeadLetter(bus, { ...letter, deliveries: maxDeliveries, data: Buffer.from(data).toString("base64") });
  // The letter has it now: whatever reads the stream again must not find it, nor its secrets.
  await eraseRequest(bus, streamSeq, (stored) => Buffer.compare(stored, data) === 0);
  log.error({ stream_seq: streamSeq, error }, "a request couldn't be taken: see cortex runs dead list");
  const request = redacted(jsonOf(Buffer.from(data).toString("utf8")));
  const message = `it couldn't be taken in ${maxDeliveries} deliveries (${error}): see cortex runs dead list`;
  publishRejection(bus, { error: message, reason: "invalid", request }, replyTo);
  await delivery.ack();
}

/** The id under which it was recorded and offered before, so that it waits, runs or has run; or null. */
async function idOfTaken(parts: GiveUpParts, { data, streamSeq }: Delivery): Promise<string | null> {
  const { ledger, claims } = parts;
  try {
    const reading = readRequest(data);
    const agentId = (reading.ok && reading.agentId) || (await ledger.assigned(streamSeq));
    const entry = agentId ? await ledger.entry(agentId) : null;
    const isTaken = agentId && entry?.stream_seq === streamSeq && (entry.ended || claims.get(agentId));
    return isTaken ? agentId : null;
  } catch {
    return null; // what can't be read may be just what keeps it from being taken
  }
}

/** Puts a request away that the stream doesn't have any more: it waited for longer than the stream keeps one, or the stream was damaged. */
export async function giveUpGone(parts: GiveUpParts, agentId: string, streamSeq: number): Promise<void> {
  const { bus, ledger, claims, worker, log } = parts;
  if (!(await claims.take(agentId))) return;
  const error = "the bus no longer has it: it waited for too long, or the bus's store was damaged";
  const letter = { ts: Date.now(), reason: "gone", error, stream_seq: streamSeq, agent_id: agentId } as const;
  await putDeadLetter(bus, { ...letter, deliveries: 1 });
  log.error({ agent_id: agentId, stream_seq: streamSeq, error }, "a request is lost: see cortex runs dead list");
  const ended = { worker, epoch: claims.get(agentId)?.epoch ?? 0 };
  await ledger.change(agentId, (entry) => (entry.ended ? null : { ...entry, ended }));
  await claims.end(agentId);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

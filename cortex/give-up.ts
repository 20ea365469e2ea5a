/** When a request can't be delivered: it becomes a dead letter, for people to decide on. */
import type { Bus } from "../bus/connect.ts";
import { publishRejection } from "../bus/control.ts";
import { putDeadLetter } from "../bus/dead-letters.ts";
import type { Ledger } from "../bus/ledger.ts";
import type { Delivery } from "../bus/requests.ts";
import type { Logger } from "../proc/log.ts";
import { redacted } from "../protocol/request-content.ts";
import type { Claims } from "./claims.ts";

/** So often a request is delivered at most. One that ends cortex each time is found by it, too: deliveries are counted before. */
export const maxDeliveries = 10;

export type GiveUpParts = { bus: Bus; ledger: Ledger; claims: Claims; worker: string; log: Logger };

/** Puts a request away that couldn't be taken, and says so to whoever waits for it. */
export async function giveUpDelivery({ bus, log }: GiveUpParts, delivery: Delivery, error: string): Promise<void> {
  const { streamSeq, data, replyTo } = delivery;
  const letter = { ts: Date.now(), reason: "undeliverable", error, stream_seq: streamSeq } as const;
  await putDeadLetter(bus, { ...letter, deliveries: maxDeliveries, data: Buffer.from(data).toString("base64") });
  log.error({ stream_seq: streamSeq, error }, "a request couldn't be taken: see cortex runs dead list");
  const request = redacted(jsonOf(Buffer.from(data).toString("utf8")));
  const message = `it couldn't be taken in ${maxDeliveries} deliveries (${error}): see cortex runs dead list`;
  publishRejection(bus, { error: message, reason: "invalid", request }, replyTo);
  await delivery.ack();
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

/**
 * The gate for adapters of the user's own: what they say is looked at before it is stored, and each request is answered, with
 * where it was stored or with what is wrong. The answers look like the server's own, so a client's JetStream publish understands
 * them.
 */
import type { Msg } from "@nats-io/transport-node";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { type Inbound, publishDecision, publishReceipt, readInbound, storeInbound, type Stored } from "./inbound.ts";
import { ChannelFullError, MessageTooLargeError, retryAfterSeconds } from "./inbound-refusals.ts";

/** The limit of one channel's messages that are on their way into the store at once. */
const atOnce = { messages: 64, bytes: 8 * 1024 * 1024 };

/** `code` as in HTTP; `err_code` as nats-server numbers its own errors of that kind. */
type Refusal = { code: number; err_code: number; description: string };

const refusal = (code: number, err_code: number, description: string): Refusal => ({ code, err_code, description });
const [badRequest, full, notNow] = [10003, 10077, 10008];

/** @param onRefused hears of each refusal that isn't for want of room */
export function openChannelGate(bus: Bus, onRefused: (subject: string, refusal: Refusal) => void): void {
  const underWay = new Map<string, { messages: number; bytes: number }>();
  const pass = async (type: string, subject: string, message: Msg): Promise<void> => {
    const load = underWay.get(type) ?? { messages: 0, bytes: 0 };
    underWay.set(type, load);
    const size = message.data.byteLength;
    if (load.messages >= atOnce.messages || load.bytes + size > atOnce.bytes)
      return answer(message, { error: refusal(429, full, busy) });
    load.messages++;
    load.bytes += size;
    try {
      const { stream, seq, isRepeated } = await store(bus, type, readInbound(subject, message.string()));
      answer(message, { stream, seq, ...(isRepeated ? { duplicate: true } : {}) });
    } catch (error) {
      const refused = refusalOf(error);
      if (refused.code !== 429) onRefused(subject, refused);
      answer(message, { error: refused });
    } finally {
      load.messages--;
      load.bytes -= size;
    }
  };
  bus.connection.subscribe(subjects.anyChannelGate, {
    callback: (error, message) => {
      if (error) return;
      const [, , type = "", ...subject] = message.subject.split(".");
      void pass(type, subject.join("."), message);
    },
  });
}

const busy = `too much of this channel is being stored at once: send it again in ${retryAfterSeconds} s, with the same id`;

class InvalidError extends Error {
  override name = "InvalidError";
}

/** @param type whose word it is: what a decision says of that isn't believed */
async function store(bus: Bus, type: string, inbound: Inbound): Promise<Stored> {
  if (inbound.kind === "invalid") throw new InvalidError(inbound.error);
  if (inbound.kind === "message") return storeInbound(bus, inbound.message);
  if (inbound.kind === "receipt") return publishReceipt(bus, inbound.id, inbound.receipt);
  return publishDecision(bus, inbound.token, { ...inbound.decision, channelType: type });
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof InvalidError) return refusal(400, badRequest, error.message);
  if (error instanceof MessageTooLargeError) return refusal(413, badRequest, error.message);
  if (error instanceof ChannelFullError) return refusal(429, full, error.message);
  return refusal(503, notNow, "the bus doesn't answer: send it again, with the same id");
}

function answer(message: Msg, value: unknown): void {
  message.respond(JSON.stringify(value));
}

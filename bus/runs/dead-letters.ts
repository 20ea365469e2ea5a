/** Requests that were accepted and can't be delivered: kept with the reason, until a person sends them again or drops them. */
import { createHash } from "node:crypto";
import { headers } from "@nats-io/transport-node";
import { z } from "zod";
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { deleteMessage } from "../jetstream/delete-message.ts";
import { mostMessageBytes } from "../events/message-size.ts";
import { deadStream } from "../jetstream/streams.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const DeadLetter = z.looseObject({
  /** When it became a dead letter, in ms. */
  ts: z.number().int(),
  /** `undeliverable`: taking it failed again and again. `gone`: it waited until the stream had forgotten it. */
  reason: z.enum(["undeliverable", "gone"]),
  error: z.string(),
  /** Where the request stood in the stream. */
  stream_seq: z.number().int(),
  agent_id: z.string().optional(),
  deliveries: z.number().int(),
  /** The message as it arrived, in base64; without it there is nothing to send again. In the stream it stands as it is, behind a LF. */
  data: z.string().optional(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

/** A letter, and the number by which it is named. */
export type StoredLetter = { number: number; letter: DeadLetter };

/** Longer reasons are cut: the letter has to fit beside a request of nearly all that the bus takes. */
const maxErrorLength = 250;

/** Keeps a letter, once for each request. */
export async function putDeadLetter(bus: Bus, letter: DeadLetter): Promise<void> {
  const options = { msgID: `dead:${nameOf(letter)}` };
  await bus.js.publish(subjects.dead(letter.stream_seq), messageOf(letter, mostMessageBytes(bus)), options);
}

/** The request as it arrived, so that it fits as it did; one that filled a message to the last byte can't be kept beside its reason. */
function messageOf({ data, ...given }: DeadLetter, maxBytes: number): Uint8Array {
  const letter = cutStrings(given, maxErrorLength);
  const message = Buffer.from(JSON.stringify(letter));
  if (data === undefined) return message;
  const request = Buffer.from(data, "base64");
  if (message.length + 1 + request.length <= maxBytes) return Buffer.concat([message, Buffer.from("\n"), request]);
  const error = `${letter.error}. Its ${request.length} bytes are too many to be kept`;
  return Buffer.from(JSON.stringify({ ...letter, error }));
}

/** A letter as it was stored. One of before has its data within. */
function letterOf(message: Uint8Array): DeadLetter {
  const bytes = Buffer.from(message);
  const end = bytes.indexOf("\n");
  const letter = DeadLetter.parse(parseOwnJson(bytes.toString("utf8", 0, end < 0 ? bytes.length : end)));
  return end < 0 ? letter : { ...letter, data: bytes.toString("base64", end + 1) };
}

/** Its place alone is not a name: a stream that was made anew uses its places again. */
function nameOf({ stream_seq, agent_id, data = agent_id ?? "" }: DeadLetter): string {
  return `${stream_seq}:${createHash("sha256").update(data).digest("hex")}`;
}

/** All letters, oldest first. */
export async function deadLetters(bus: Bus): Promise<StoredLetter[]> {
  const manager = await bus.manager();
  const { state } = await manager.streams.info(deadStream);
  const letters: StoredLetter[] = [];
  for (let number = state.first_seq; state.messages > 0 && number <= state.last_seq; number++) {
    const stored = await deadLetter(bus, number);
    if (stored) letters.push(stored);
  }
  return letters;
}

/** A letter by its number, or null. */
export async function deadLetter(bus: Bus, number: number): Promise<StoredLetter | null> {
  const manager = await bus.manager();
  const message = await manager.streams.getMessage(deadStream, { seq: number });
  return message ? { number, letter: letterOf(message.data) } : null;
}

/** Sends a letter's request again, as it arrived. Safe to repeat: it is stored once. */
export async function resendDeadLetter(bus: Bus, { number, letter }: StoredLetter): Promise<void> {
  const head = headers();
  head.set("Nats-Msg-Id", `again:${number}:${nameOf(letter)}`);
  await bus.js.publish(subjects.request, Buffer.from(letter.data ?? "", "base64"), { headers: head });
}

/** Forgets a letter. One that is gone is no error. */
export async function dropDeadLetter(bus: Bus, number: number): Promise<void> {
  await deleteMessage(bus, deadStream, number, true);
}

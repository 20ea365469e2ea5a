/**
 * Ids of messages that have left their stream, each kept as long as the stream would have known it: so that the same id again
 * is dropped, over restarts of whatever.
 */
import { DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";
import { ensureStream } from "../jetstream/streams.ts";

export const takenStream = "CORTEX_TAKEN";

/** Milliseconds for which an id stays known. */
export const keptMs = 2 * 24 * 3_600_000;
/** About 200,000 ids. Of more than that in two days the oldest are forgotten. */
const maxBytes = 32 * 1024 * 1024;

const Taken = z.object({ seq: z.number().int() });

export async function ensureTakenIds(bus: Bus, num_replicas: number): Promise<void> {
  const config = {
    name: takenStream,
    subjects: [subjects.taken("*", "*")],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: maxBytes,
    max_age: nanos(keptMs),
    max_msgs_per_subject: 1,
    allow_direct: true,
    num_replicas,
  };
  await onceLed(() => ensureStream(bus, config));
}

/** The place in its stream that a message with this id had when it was taken out; null: none was. */
export async function takenAt(bus: Bus, type: string, id: string): Promise<number | null> {
  const { direct } = await bus.manager();
  const found = await onceLed(() => direct.getMessage(takenStream, { last_by_subj: subjects.taken(type, id) }));
  return found ? Taken.parse(parseJson(found.string())).seq : null;
}

/** Notes that a message was taken out. Resolves when it is stored. */
export async function noteTaken(bus: Bus, type: string, id: string, seq: number): Promise<void> {
  await onceLed(() => bus.js.publish(subjects.taken(type, id), JSON.stringify({ seq }), { timeout: 2000 }));
}

/** The streams behind the subjects: what was accepted, and what was said. */
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { isForbidden } from "../connection/forbidden.ts";
import { onceLed } from "../connection/leader.ts";
import { nats29 } from "../legacy/nats-2-9.ts";

export const requestStream = "CORTEX_REQ";
export const eventStream = "CORTEX_EVENTS";
export const deadStream = "CORTEX_DEAD";

/** The server's code for "stream name already in use with a different configuration". */
const nameInUse = 10058;

const hour = 3_600_000;
const mebibyte = 1024 * 1024;

type Wanted = Pick<StreamConfig, "name" | "subjects"> & Partial<StreamConfig>;

const wanted: Wanted[] = [
  {
    // Limits retention, since a work queue forgets message ids when the server restarts. A full stream
    // refuses new requests, so that whoever asks hears it.
    name: requestStream,
    subjects: [subjects.request],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msgs: 200_000,
    max_bytes: 256 * mebibyte,
    max_age: nanos(30 * 24 * hour),
    duplicate_window: nanos(48 * hour),
  },
  {
    // The run's file is the archive; this one is for those who come a little late.
    name: eventStream,
    subjects: [subjects.allEvents],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: 512 * mebibyte,
    max_age: nanos(7 * 24 * hour),
    duplicate_window: nanos(hour / 6),
    allow_direct: true,
  },
  {
    // For people to decide on. Full, it refuses: then what can't be delivered stays where it is, and is tried again.
    name: deadStream,
    subjects: [subjects.anyDead],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: 64 * mebibyte,
    duplicate_window: nanos(48 * hour),
  },
];

/** Makes the streams that are missing and gives the others today's limits. Never fewer replicas than there are. */
export async function ensureStreams(bus: Bus, replicas = 1): Promise<void> {
  for (const config of wanted) await onceLed(() => ensureStream(bus, { ...config, num_replicas: replicas }));
}

/** Makes a stream, or gives it these limits. */
export async function ensureStream(bus: Bus, config: Wanted): Promise<void> {
  const { config: made } = await makeStream(bus, config);
  bus.configDrift.compare(config.name, config, made);
}

async function makeStream(bus: Bus, config: Wanted): Promise<StreamInfo> {
  const { streams } = await bus.manager();
  try {
    return await streams.add(config);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && (error.code === nameInUse || nats29.mayExist(error)))) throw error;
    const { num_replicas = 1 } = config;
    const before = (await streams.info(config.name).catch(() => Promise.reject(error))).config.num_replicas;
    try {
      return await streams.update(config.name, { ...config, num_replicas: Math.max(num_replicas, before) });
    } catch (refused) {
      // A worker takes them as they are.
      if (!isForbidden(refused)) throw refused;
      return streams.info(config.name);
    }
  }
}

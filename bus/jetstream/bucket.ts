/** A KV bucket, with as many replicas as the bus is to have: made where it is missing, brought up to what is wanted where it isn't. */
import type { StreamConfig } from "@nats-io/jetstream";
import { type KV, type KvOptions, Kvm } from "@nats-io/kv";
import { nanos } from "@nats-io/transport-node";
import type { Bus } from "../connection/connect.ts";
import { isForbidden } from "../connection/forbidden.ts";
import { onceLed } from "../connection/leader.ts";
import { differences } from "../connection/config-drift.ts";

/** The options that we ask of a bucket. */
export type BucketOptions = Pick<Partial<KvOptions>, "ttl" | "markerTTL">;

/**
 * Read from the leader alone: what another replica says may be older than what was written here, and claims are decided by it.
 * @throws Error when the servers can't keep so many replicas
 */
export function openBucket(bus: Bus, name: string, replicas: number, options: BucketOptions = {}): Promise<KV> {
  return onceLed(async () => {
    const kv = await new Kvm(bus.js).create(name, { history: 1, allow_direct: false, ...options, replicas });
    const manager = await bus.manager();
    const wanted = wantedOf(replicas, options);
    const { config } = await manager.streams.info(`KV_${name}`);
    if (differences(wanted, config).length === 0) return kv;
    // The server takes no window that is longer than the age, and never fewer replicas than there are.
    const duplicate_window = wanted.max_age
      ? Math.min(config.duplicate_window, wanted.max_age)
      : config.duplicate_window;
    const num_replicas = Math.max(config.num_replicas, replicas);
    const changed = { ...config, ...wanted, duplicate_window, num_replicas };
    try {
      const made = await manager.streams.update(`KV_${name}`, changed);
      bus.configDrift.compare(`KV_${name}`, wanted, made.config);
    } catch (error) {
      // A worker takes it as it is.
      if (!isForbidden(error)) throw error;
    }
    return kv;
  });
}

/** The same as options of the bucket's stream. */
function wantedOf(replicas: number, { ttl, markerTTL }: BucketOptions): Partial<StreamConfig> {
  return {
    max_msgs_per_subject: 1,
    allow_direct: false,
    num_replicas: replicas,
    ...(ttl === undefined ? {} : { max_age: nanos(ttl) }),
    ...(markerTTL === undefined ? {} : { allow_msg_ttl: true, subject_delete_marker_ttl: nanos(markerTTL) }),
  };
}

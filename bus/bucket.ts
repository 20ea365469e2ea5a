/** A KV bucket, with as many replicas as the bus is to have: made where it is missing, brought up to that where it isn't. */
import { type KV, type KvOptions, Kvm } from "@nats-io/kv";
import type { Bus } from "./connect.ts";
import { onceLed } from "./leader.ts";

/**
 * Read from the leader alone: what another replica says may be older than what was written here, and claims are decided by it.
 * @throws Error when the servers can't keep so many replicas
 */
export function openBucket(bus: Bus, name: string, replicas: number, options: Partial<KvOptions> = {}): Promise<KV> {
  return onceLed(async () => {
    const kv = await new Kvm(bus.js).create(name, { history: 1, allow_direct: false, ...options, replicas });
    const manager = await bus.manager();
    const { config } = await manager.streams.info(`KV_${name}`);
    if (config.num_replicas < replicas)
      await manager.streams.update(`KV_${name}`, { ...config, num_replicas: replicas });
    return kv;
  });
}

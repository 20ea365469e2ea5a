/** The one door to what only nats-server 2.9 needs. */
import type { JetStreamApiError } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { Bus } from "../connection/connect.ts";
import { hasFeature, type Version } from "../connection/features.ts";
import { damagedStreams } from "./damaged-streams.ts";
import { nextStored } from "./next-stored.ts";

export type Nats29 = {
  /** Whether the disk has an acknowledged message only if the store's folder is synchronous: the server has no `sync_interval`. */
  needsSynchronousFolder: (version: Version | null) => boolean;
  /** The streams of these that a broken record has made useless: the server doesn't repair them. */
  damagedStreams: (bus: Bus, names: readonly string[]) => Promise<string[]>;
  /** Whether an error on making a stream can also mean that the stream exists: the server counts its storage a second time. */
  mayExist: (error: JetStreamApiError) => boolean;
  /** The sequence number of the next message behind a position, or null: the server's count of pending messages may be too low. */
  nextStored: (bus: Bus, stream: string, position: number, filter: string) => Promise<number | null>;
  /** The keys that match any filter: the server takes no list of filters. */
  keys: (kv: KV, filters: readonly string[]) => AsyncGenerator<string>;
};

/** The server's code for "insufficient storage resources". */
const noStorage = 10047;

export const nats29: Nats29 = {
  needsSynchronousFolder: (version) => !hasFeature("sync_interval", version),
  damagedStreams,
  mayExist: ({ code }) => code === noStorage,
  nextStored,
  keys: async function* (kv, filters) {
    for (const filter of filters) yield* await kv.keys(filter);
  },
};

/**
 * Streams that a broken record has made useless. Before 2.10 nats-server leaves the record where it is, acknowledges all that
 * comes behind it, and can't read it back. Such a stream has to be rebuilt.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { StreamState } from "@nats-io/jetstream";
import type { Bus } from "../connection/connect.ts";
import { hasFeature, parseVersion } from "../connection/features.ts";
import { onceLed } from "../connection/leader.ts";

/** Between two looks at a record that can't be read. */
const againMs = 200;

/** The bytes that the server throws away at its start are counted until the next one. */
type Details = Omit<StreamState, "deleted"> & { lost?: { bytes?: number }; deleted?: number[] | null };

/** The names of those streams that are useless. None on a server that repairs them by itself. */
export async function damagedStreams(bus: Bus, names: readonly string[]): Promise<string[]> {
  if (hasFeature("repairs", parseVersion(bus.connection.info?.version ?? ""))) return [];
  const damaged = await Promise.all(names.map(async (name) => ((await isDamaged(bus, name)) ? [name] : [])));
  return damaged.flat();
}

/** A record that can't be read twice in a row: at the first try it may just have been deleted. */
async function isDamaged(bus: Bus, stream: string): Promise<boolean> {
  const first = await unreadableRecord(bus, stream);
  if (first === null) return false;
  await delay(againMs);
  return (await unreadableRecord(bus, stream)) === first;
}

/** The stream's last record, if it can't be read. */
async function unreadableRecord(bus: Bus, stream: string): Promise<number | null> {
  const { streams } = await bus.manager();
  const info = await onceLed(() => streams.info(stream, { deleted_details: true })).catch(() => null);
  if (!info) return null; // the stream doesn't exist yet
  const { lost, messages, last_seq, deleted }: Details = info.state;
  if ((lost?.bytes ?? 0) > 0) return last_seq;
  if (messages === 0 || deleted?.includes(last_seq)) return null;
  return (await streams.getMessage(stream, { seq: last_seq }).catch(() => null)) ? null : last_seq;
}

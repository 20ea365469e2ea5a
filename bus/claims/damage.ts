/**
 * Streams that a broken record has made useless. Before 2.10 nats-server leaves the record where it is, says yes to all that
 * comes behind it, and can't read it back. Such a stream has to be made anew.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { StreamState } from "@nats-io/jetstream";
import type { Bus } from "../connection/connect.ts";
import { has, parseVersion } from "../connection/features.ts";
import { onceLed } from "../connection/leader.ts";
import { watched } from "./position.ts";

/** Between two looks at a record that can't be read. */
const againMs = 200;

/** What the server throws away at its start it counts until the next one. */
type Details = Omit<StreamState, "deleted"> & { lost?: { bytes?: number }; deleted?: number[] | null };

/** The streams of ours that are useless. None of a server that repairs them by itself. */
export async function damagedStreams(bus: Bus): Promise<string[]> {
  if (has("repairs", parseVersion(bus.connection.info?.version ?? ""))) return [];
  const { streams } = await bus.manager();
  /** The last record, if it can't be read. */
  const unreadable = async (stream: string): Promise<number | null> => {
    const info = await onceLed(() => streams.info(stream, { deleted_details: true })).catch(() => null);
    if (!info) return null; // there is none yet
    const { lost, messages, last_seq, deleted }: Details = info.state;
    if ((lost?.bytes ?? 0) > 0) return last_seq;
    if (messages === 0 || deleted?.includes(last_seq)) return null;
    return (await streams.getMessage(stream, { seq: last_seq }).catch(() => null)) ? null : last_seq;
  };
  const isDamaged = async (stream: string) => {
    const first = await unreadable(stream);
    if (first === null) return false;
    await delay(againMs); // it may just have been taken away
    return (await unreadable(stream)) === first;
  };
  const found = await Promise.all(watched.map(async (stream) => ((await isDamaged(stream)) ? [stream] : [])));
  return found.flat();
}

/** Takes a stream away, with all that is in it. */
export async function dropStream(bus: Bus, stream: string): Promise<void> {
  const { streams } = await bus.manager();
  await onceLed(() => streams.delete(stream));
}

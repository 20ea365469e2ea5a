/** Whether a stream was read to its end: nats-server 2.9 may count too few messages while others publish. */
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";

/** The sequence number of the next message with these subjects behind a position, or null. */
export async function nextStored(bus: Bus, stream: string, position: number, filter: string): Promise<number | null> {
  const { streams } = await bus.manager();
  const query = { seq: position + 1, next_by_subj: filter };
  return (await onceLed(() => streams.getMessage(stream, query)))?.seq ?? null;
}

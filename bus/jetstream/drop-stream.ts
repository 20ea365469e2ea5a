/** Deletes a stream. */
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";

/** Deletes a stream with all its messages. */
export async function dropStream(bus: Bus, stream: string): Promise<void> {
  const { streams } = await bus.manager();
  await onceLed(() => streams.delete(stream));
}

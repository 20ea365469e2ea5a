/** Deletes one message of a stream. */
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";

/**
 * Deletes a message. One that is gone is no error: the server's codes for that also stand for failures, so it is asked.
 * @param erase whether its bytes are overwritten on the disk, too
 * @throws Error when it is still there, or when the bus doesn't answer: then it has to be tried again
 */
export async function deleteMessage(bus: Bus, stream: string, seq: number, erase: boolean): Promise<void> {
  const { streams } = await bus.manager();
  try {
    await onceLed(() => streams.deleteMessage(stream, seq, erase));
  } catch (error) {
    if ((await streams.getMessage(stream, { seq })) !== null) throw error;
  }
}

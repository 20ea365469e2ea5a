/**
 * The events' stream is no part of what is synchronous in the bus's store: the files have every event, and whatever a power
 * cut took of the stream is published again from them. Each write that waits for the disk would cost a run a millisecond a line.
 */
import { busAccount } from "../../bus/server/server-config.ts";
import { eventStream } from "../../bus/jetstream/streams.ts";
import { readBusStore } from "../../journal/access/bus-store.ts";
import { streamFolder } from "../../journal/access/store-holder.ts";
import type { Logger } from "../../proc/logging/log.ts";

/** Logged where it can't be done: runs are only slower, and the next start tries again. */
const slower = "each event waits for the disk";

/**
 * Sees to it under the living server: its stream may just have been made, in a folder that hands its attributes on. Never
 * rejects: cortex doesn't wait for it, and works without.
 */
export async function keepEventsQuick(journal: string, log: Logger): Promise<void> {
  try {
    if (readBusStore(journal)?.synced_by !== "folder") return;
    const { setSynchronous } = await import("../../proc/os/synchronous-folder.ts");
    const problem = await setSynchronous(streamFolder(journal, busAccount, eventStream), false);
    if (problem !== null) log.warn({ problem }, slower);
  } catch (error) {
    log.warn({ err: error }, slower);
  }
}

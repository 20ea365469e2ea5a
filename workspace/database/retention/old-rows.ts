/**
 * The rows that are let go of after a time, so that a database doesn't grow by everything twice: events, and ids of
 * what came from channels.
 */
import type { Database } from "../connection/open-database.ts";

const dayMs = 24 * 3_600_000;
/** Milliseconds for which events are kept: a client that listens again later reads the lists anew. */
const eventsKeptMs = 30 * dayMs;
/** As long as channels may repeat a message, and a day. */
const channelMessagesKeptMs = 3 * dayMs;
/** Rows of one statement: nobody waits long for it. */
const together = 1000;

/** Drops what is older than that. Safe to be cut off, and done by several at once. @returns how many events that were */
export async function dropOldRows(database: Database, now: number): Promise<number> {
  await database
    .deleteFrom("channel_messages")
    .where("created_at", "<", now - channelMessagesKeptMs)
    .execute();
  let dropped = 0;
  for (const { id } of await database.selectFrom("workspaces").select("id").execute())
    for (let isOver = false; !isOver; ) {
      const oldest = await database
        .selectFrom("events")
        .select(["number", "created_at"])
        .where("workspace_id", "=", id)
        .orderBy("number")
        .limit(together)
        .execute();
      // In the order of their numbers, also where a clock was set back: none is missing in between.
      const kept = oldest.findIndex(({ created_at }) => created_at >= now - eventsKeptMs);
      const old = kept === -1 ? oldest : oldest.slice(0, kept);
      const last = old.at(-1);
      if (last)
        await database.deleteFrom("events").where("workspace_id", "=", id).where("number", "<=", last.number).execute();
      dropped += old.length;
      isOver = old.length < together;
    }
  return dropped;
}

/** The operation that tells what happens, as server-sent events. */
import { z } from "zod";
import { liveEvents } from "../../../../workspace/records/events.ts";
import { livePieces } from "../../../../workspace/records/live-pieces.ts";
import { operation } from "../../table/operation.ts";

const Dropped = z.object({ up_to: z.int().nonnegative().meta({ description: "Events up to this number are gone." }) });

export const events = [
  operation({
    id: "events",
    method: "GET",
    path: "/workspaces/{w}/events",
    summary: "Hear what happens in a workspace",
    description:
      "Server-sent events in the order in which they happened, each with its number as `id`. `Last-Event-ID` goes on behind that number; without it, with what happens from now on; the header of that name in the answer says where it begins. `message.delta` and `presence.*` aren't kept, and have no id. Events are kept for 30 days: whoever comes back later hears `events.dropped` first, and reads the lists anew. Comments are heartbeats. Whoever doesn't read is closed, and comes back.",
    subject: "workspaces",
    role: "member",
    events: { ...liveEvents, ...livePieces, "events.dropped": Dropped },
    refusals: [503],
  }),
];

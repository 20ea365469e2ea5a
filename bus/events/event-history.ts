/** The events of a run that the bus still has, in order: for a worker that takes over from one that is lost. */
import type { Bus } from "../connection/connect.ts";
import { AgentEvent } from "../../protocol/runs/event.ts";
import { epochOf, isLate } from "./event-message.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import { storedMessages } from "../jetstream/stored-messages.ts";
import { eventStream } from "../jetstream/streams.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/**
 * Yields their lines, as they stood in the file. What was cut for the bus comes as it was cut; what a worker said after it
 * had lost the run is left out. The stream is read twice: which of its messages count shows at its end alone.
 * @param after how many of the first lines are known
 */
export async function* storedEventLines(bus: Bus, agentId: string, after = 0): AsyncGenerator<string> {
  const places = await placesOf(bus, agentId, after);
  let next = 0;
  for await (const message of storedMessages(bus, eventStream, subjects.events(agentId))) {
    if (next === places.length) return;
    if (message.seq !== places[next]) continue;
    next++;
    yield message.string();
  }
}

/** Where in the stream each line stands that counts. */
async function placesOf(bus: Bus, agentId: string, after: number): Promise<number[]> {
  const places: number[] = [];
  let newest = 0;
  for await (const message of storedMessages(bus, eventStream, subjects.events(agentId))) {
    // `text_delta` has no number: it stands in no file.
    const event = AgentEvent.safeParse(parseOwnJson(message.string()));
    if (!event.success) continue;
    const epoch = epochOf(message.headers);
    const at = event.data.seq - after - 1;
    if (isLate(epoch, newest) || at < 0 || at > places.length) continue;
    if (at < places.length && epoch <= newest) continue;
    places.length = at;
    places.push(message.seq);
    newest = Math.max(epoch, newest);
  }
  return places;
}

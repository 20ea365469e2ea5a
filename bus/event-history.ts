/** The events of a run that the bus still has, in order: for a worker that takes over from one that is lost. */
import type { Bus } from "./connect.ts";
import { AgentEvent } from "../protocol/event.ts";
import { epochOf, isLate } from "./event-message.ts";
import { subjects } from "../protocol/subjects.ts";
import { storedMessages } from "./stored-messages.ts";
import { eventStream } from "./streams.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

/**
 * Their lines, as they stood in the file. What was cut for the bus comes as it was cut; what a worker said after it had lost
 * the run is left out.
 * @param after how many of the first lines are known
 */
export async function storedEventLines(bus: Bus, agentId: string, after = 0): Promise<string[]> {
  const lines: string[] = [];
  let newest = 0;
  for await (const message of storedMessages(bus, eventStream, subjects.events(agentId))) {
    const line = message.string();
    // `text_delta` has no number: it stands in no file.
    const event = AgentEvent.safeParse(parseOwnJson(line));
    if (!event.success) continue;
    const epoch = epochOf(message.headers);
    const at = event.data.seq - after - 1;
    if (isLate(epoch, newest) || at < 0 || at > lines.length) continue;
    if (at < lines.length && epoch <= newest) continue;
    lines.length = at;
    lines.push(line);
    newest = Math.max(epoch, newest);
  }
  return lines;
}

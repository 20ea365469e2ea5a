/** Lines of a run's file as events. */
import { AgentEvent } from "../../protocol/runs/event.ts";
import { maxOwnJsonDepth, parseLine } from "../../protocol/json/parse-json.ts";
import { linesOf } from "../../files/lines/text-records.ts";

/** A line as an event, or null. */
export function parseEventLine(line: string): AgentEvent | null {
  const value = parseLine(line, maxOwnJsonDepth);
  if (value === undefined) return null;
  const parsed = AgentEvent.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The events of whole lines. */
export function parseEvents(bytes: Buffer): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const line of linesOf(bytes)) {
    const event = parseEventLine(line.toString("utf8"));
    if (event) events.push(event);
  }
  return events;
}

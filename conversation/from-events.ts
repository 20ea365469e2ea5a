/** The events of ended runs become the conversation that a later run goes on from. Pure. */
import type { EventBody } from "../protocol/runs/event.ts";
import type { Message } from "../protocol/runs/run-config.ts";
import { repair } from "./repair.ts";
import { addEvent } from "./said-events.ts";
import { Transcript } from "./transcript.ts";

/** One run's events, in the order of its file, all its attempts. */
export function fromEvents(events: readonly EventBody[]): Message[] {
  const transcript = new Transcript();
  for (const event of events) addEvent(transcript, event);
  return repair(transcript.messages());
}

/** The runs of a chain, oldest first, as one conversation. */
export function fromChain(runs: readonly (readonly EventBody[])[]): Message[] {
  return repair(runs.flatMap(fromEvents));
}

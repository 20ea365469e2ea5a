/** The events of a run that say something, each put into the conversation that the model reads. Pure. */
import { type EventBody, eventShapes } from "../protocol/runs/event.ts";
import { saidBefore } from "./said-before.ts";
import type { Transcript } from "./transcript.ts";

/** Puts the next event into a conversation. One that isn't understood, or lacks a field, says nothing. */
export function addEvent(transcript: Transcript, event: EventBody): void {
  if (isSaid(event.event)) rows[event.event](transcript, event);
}

/** Fields come from files and from foreign programs: each row reads its own. */
const rows = {
  request: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.request.safeParse(event);
    if (!success) return;
    to.before(saidBefore(event));
    to.prompt(data.prompt, data["backend"], data["model"], data.parts);
  },
  start: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.start.safeParse(event);
    if (success) to.prompt(data.prompt, data.backend, data.model, data.parts);
  },
  input: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.input.safeParse(event);
    if (success) to.input(data.text, data.parts);
  },
  thinking: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.thinking.safeParse(event);
    if (success) to.thinking(data.summary, data.model, data.opaque);
  },
  // Its pages stand as links in the text; the blocks travel like signed reasoning, in their place.
  web_search: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.web_search.safeParse(event);
    if (success) to.thinking(undefined, data.model, data.opaque);
  },
  text: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.text.safeParse(event);
    if (!success) return;
    if (data.partial) to.piece(data.text);
    else to.text(data.text);
  },
  retry: (to: Transcript) => to.retried(),
  cut_off: (to: Transcript) => to.cutOff(),
  compacted: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.compacted.safeParse(event);
    if (success) to.compacted(data.summary, data.kept, data.inputs ?? 0);
  },
  tool_start: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.tool_start.safeParse(event);
    if (success) to.toolStart(data.tool, data.args, data.call_id);
  },
  tool_end: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.tool_end.safeParse(event);
    if (success) to.toolEnd(data.call_id, data.result, data.is_error, data.parts);
  },
  usage: (to: Transcript, event: EventBody) => {
    if (event["purpose"] === undefined) to.modelCalled();
  },
  finish: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.finish.safeParse(event);
    if (success) to.result(data.result);
  },
} as const;

/** The events that say something. */
export const saidEvents = Object.keys(rows);

export function isSaid(name: string): name is keyof typeof rows {
  return Object.hasOwn(rows, name);
}

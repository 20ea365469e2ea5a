/** An event as a message: its line, unless the bus wouldn't take it whole. Pure. */
import type { MsgHdrs } from "@nats-io/transport-node";
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import type { EventBody } from "../../protocol/runs/event.ts";

/** Bytes that the subject and the headers may take beside the event itself. */
export const headroomBytes = 1024;

/** How often its run had changed hands when it was said. What is older than one that was heard doesn't count. */
export const epochHeader = "Cortex-Epoch";

/** From 1; 0 when nobody had it: what is said of a run long after its end counts always. */
export const epochOf = (head: MsgHdrs | undefined) => Number(head?.get(epochHeader)) || 0;

/** Whether something was said by a worker that had lost the run. @param newest the newest epoch that was heard before */
export const isLate = (epoch: number, newest: number) => epoch > 0 && epoch < newest;

/** The same at each sending. Another worker's is another, so that no late word of a lost one stands in its place. */
export const messageId = (agentId: string, seq: number, epoch: number) =>
  epoch > 1 ? `${agentId}:${seq}:${epoch}` : `${agentId}:${seq}`;

/** The first cut of a long string, in characters; each further one is a quarter of it. */
const firstCut = 64 * 1024;

/** The event's JSON; too large, its long strings are cut and it carries `truncated: true`. */
export function eventMessage(event: EventBody, line: string, maxBytes: number): string {
  const limit = maxBytes - headroomBytes;
  if (Buffer.byteLength(line) <= limit) return line;
  for (let length = firstCut; length >= 1; length = Math.floor(length / 4)) {
    const cut = JSON.stringify({ ...shorten(event, length), truncated: true });
    if (Buffer.byteLength(cut) <= limit) return cut;
  }
  // Not its strings but their number is too large: what identifies it is left.
  const { event: name, ts, agent_id, seq } = event;
  return JSON.stringify({ event: name, ts, agent_id, seq, truncated: true });
}

function shorten(event: EventBody, length: number): Record<string, unknown> {
  const stamp: Record<string, unknown> = { event: event.event, ts: event.ts, agent_id: event.agent_id, seq: event.seq };
  const rest = Object.entries(event).filter(([key]) => !(key in stamp));
  return { ...stamp, ...Object.fromEntries(rest.map(([key, value]) => [key, cutStrings(value, length)])) };
}

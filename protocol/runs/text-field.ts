/**
 * The text of an event. A file of its own: a run's process needs this of events, and none of their schemas, which take
 * time to make.
 */
import type { EventBody } from "./event.ts";

/** A field of an event as text: empty where there is none, JSON where it is something else. */
export function textField(event: EventBody, field: string): string {
  const value = event[field];
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

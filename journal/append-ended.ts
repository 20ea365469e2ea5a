/** Appends to the file of a run that has ended: that a later run goes on from it. */
import { appendFileSync, readFileSync } from "node:fs";
import type { AgentEvent } from "../protocol/event.ts";
import { endedFile } from "./run-files.ts";

/** Appends the event that `make` gives for the file's next line number. A torn last line gets its LF first. */
export function appendToEnded(journal: string, agentId: string, make: (seq: number) => AgentEvent): AgentEvent {
  const path = endedFile(journal, agentId);
  const text = readFileSync(path, "utf8");
  const isTorn = text !== "" && !text.endsWith("\n");
  const lines = text.split("\n").length - (isTorn ? 0 : 1);
  const event = make(lines + 1);
  appendFileSync(path, `${isTorn ? "\n" : ""}${JSON.stringify(event)}\n`);
  return event;
}

/** Reads the file of a run, ended or in progress. A line that can't be read is passed over; a torn last one isn't there yet. */
import { readFileSync } from "node:fs";
import { AgentEvent } from "../protocol/event.ts";
import { activeFile, endedFile } from "./run-files.ts";

/** A line as an event, or null. */
export function parseEventLine(line: string): AgentEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = AgentEvent.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The events of whole lines. */
export function parseEvents(text: string): AgentEvent[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map(parseEventLine).filter((event) => event !== null);
}

/** All events of a run, or null when there is no such run. */
export function readRun(journal: string, agentId: string): { isActive: boolean; events: AgentEvent[] } | null {
  // The ended file last: a run that ends between the two looks is found.
  const candidates = [
    { path: endedFile(journal, agentId), isActive: false },
    { path: activeFile(journal, agentId), isActive: true },
    { path: endedFile(journal, agentId), isActive: false },
  ];
  for (const { path, isActive } of candidates) {
    const text = textOf(path);
    if (text !== null) return { isActive, events: parseEvents(text) };
  }
  return null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

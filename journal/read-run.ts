/** Reads the file of a run, ended or in progress. A line that can't be read is passed over; a torn last one isn't there yet. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AgentEvent } from "../protocol/event.ts";
import { activeFile, compressedFile, endedFile } from "./run-files.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

/** A line as an event, or null. */
export function parseEventLine(line: string): AgentEvent | null {
  let value: unknown;
  try {
    value = parseOwnJson(line);
  } catch {
    return null;
  }
  const parsed = AgentEvent.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The events of whole lines. */
export function parseEvents(bytes: Buffer): AgentEvent[] {
  // Line by line: a file may be longer than a string can be.
  const events: AgentEvent[] = [];
  for (const line of linesOf(bytes)) {
    const event = parseEventLine(line.toString("utf8"));
    if (event) events.push(event);
  }
  return events;
}

/** The whole lines, each without its LF. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; ; ) {
    const to = bytes.indexOf(10, from);
    if (to < 0) return;
    yield bytes.subarray(from, to);
    from = to + 1;
  }
}

/** All events of a run, or null when there is no such run. */
export function readRun(journal: string, agentId: string): { isActive: boolean; events: AgentEvent[] } | null {
  // The ended file last: a run that ends between the two looks is found. So is one that is compressed, or unpacked, meanwhile.
  const ended = { path: endedFile(journal, agentId), isActive: false };
  const compressed = { path: compressedFile(journal, agentId), isActive: false };
  const active = { path: activeFile(journal, agentId), isActive: true };
  for (const { path, isActive } of [ended, compressed, active, ended, compressed]) {
    const bytes = bytesOf(path);
    if (bytes !== null) return { isActive, events: parseEvents(bytes) };
  }
  return null;
}

/** What stands in a run's file, compressed or not; null when it isn't there. */
export function bytesOf(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

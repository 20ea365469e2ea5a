/** Which tool call a run is in the middle of, from the end of its file. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parseEventLine } from "../chain/event-line.ts";
import { activeFile } from "./run-files.ts";

/** How far back a call that is under way is looked for. */
const maxBytes = 256 * 1024;

/** The name of the tool, or null. */
export function toolUnderWay(journal: string, agentId: string): string | null {
  const ended = new Set<unknown>();
  for (const line of endOf(activeFile(journal, agentId)).split("\n").toReversed()) {
    const event = parseEventLine(line);
    if (event?.event === "start") return null; // what an earlier attempt was at is over
    if (event?.event === "tool_end") ended.add(event["call_id"]);
    if (event?.event === "tool_start" && !ended.has(event["call_id"])) return String(event["tool"]);
  }
  return null;
}

function endOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return ""; // it has ended meanwhile
  }
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, maxBytes);
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, size - length)).toString("utf8");
  } finally {
    closeSync(file);
  }
}

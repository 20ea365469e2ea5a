/** Which tool call a run is in the middle of, from the end of its file. */
import { closeSync, openSync } from "node:fs";
import { linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { activeFile } from "./run-files.ts";

/** How far back a call that is under way is looked for. */
const maxBytes = 256 * 1024;

/** The name of the tool, or null. */
export function toolUnderWay(journal: string, agentId: string): string | null {
  const file = openIfActive(journal, agentId);
  if (file === null) return null;
  const ended = new Set<unknown>();
  let fileEnd: number | null = null;
  try {
    for (const { bytes, begin, end } of linesFromEnd(file, maxBytes)) {
      fileEnd ??= end;
      if (fileEnd - begin > maxBytes) return null;
      const event = parseEventLine(bytes.toString("utf8"));
      if (event?.event === "start") return null; // what an earlier attempt was at is over
      if (event?.event === "tool_end") ended.add(event["call_id"]);
      if (event?.event === "tool_start" && !ended.has(event["call_id"])) return String(event["tool"]);
    }
    return null;
  } finally {
    closeSync(file);
  }
}

function openIfActive(journal: string, agentId: string): number | null {
  try {
    return openSync(activeFile(journal, agentId), "r");
  } catch {
    return null; // it has ended meanwhile
  }
}

/** The whole of a run's file at once, for tests and measurements, whose runs are short. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { hasCode } from "../../files/errors/errno.ts";
import { parseEvents } from "../../journal/chain/event-line.ts";
import { activeFile, compressedFile, endedFile } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";

/** All events of a run, or null when there is no such run. */
export function readRun(journal: string, agentId: string): { isActive: boolean; events: AgentEvent[] } | null {
  const [ended, active] = [endedFile(journal, agentId), activeFile(journal, agentId)];
  for (const path of [ended, compressedFile(journal, agentId), active, ended]) {
    const bytes = bytesOf(path);
    if (bytes) return { isActive: path === active, events: parseEvents(bytes) };
  }
  return null;
}

function bytesOf(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

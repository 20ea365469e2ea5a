/** Runs that have ended, as files of a journal: as many as a list needs, without a process each. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { endedFile } from "../../../../journal/runs/run-files.ts";

/** Writes finished runs that were asked for a second apart, the last of them a minute ago. @returns their ids, oldest first */
export function writeEndedRuns(journal: string, requests: readonly object[]): string[] {
  const last = Date.now() - 60_000;
  return requests.map((request, at) => {
    const ts = last - 1000 * (requests.length - 1 - at);
    const id = String(ts);
    const events = [
      { event: "request", prompt: `run ${at}`, ...request },
      { event: "start", persona: "default", backend: "offline", model: "extractive", attempt: 1, ...request },
      { event: "finish", result: `result ${at}` },
    ];
    const path = endedFile(journal, id);
    mkdirSync(dirname(path), { recursive: true });
    const lines = events.map(
      (event, seq) => `${JSON.stringify({ ts: ts + seq, agent_id: id, seq: seq + 1, ...event })}\n`,
    );
    writeFileSync(path, lines.join(""));
    return id;
  });
}

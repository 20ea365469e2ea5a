/** Answers other workers that ask for the file of a run: one of this worker's own, or a copy where copies are kept. */
import type { Bus } from "../../bus/connection/connect.ts";
import { serveLines } from "../../bus/events/run-lines.ts";
import { runBytes } from "../../journal/runs/mirrored-run.ts";

export function answerForLines(bus: Bus, journal: string, worker: string, isMirror: boolean): void {
  const read = (agentId: string, offset: number, maxBytes: number) => runBytes(journal, agentId, offset, maxBytes);
  serveLines(bus, { worker }, read);
  if (isMirror) serveLines(bus, "copies", read);
}

/** Appends to the file of a run that has ended: that a later run goes on from it. */
import { readFileSync, truncateSync } from "node:fs";
import type { AgentEvent } from "../protocol/event.ts";
import { appendNow } from "./append-whole.ts";
import { unpack } from "./compressed-run.ts";
import { whileEndedLocked } from "./ended-lock.ts";
import { commits, syncablePath } from "./group-commit.ts";
import { lineHash } from "./hash-chain.ts";
import { linesOf } from "./read-run.ts";
import { endedFile } from "./run-files.ts";
import { noteEnd, type RunEnd } from "./run-heads.ts";

/** Appends the event that `make` gives for the file's next line number, chained to the line before. A torn last line is cut: whoever wrote it writes it again. */
export function appendToEnded(journal: string, agentId: string, make: (seq: number) => AgentEvent): AgentEvent {
  return whileEndedLocked(journal, () => {
    unpack(journal, agentId);
    const path = endedFile(journal, agentId);
    const bytes = readFileSync(path);
    const size = bytes.lastIndexOf(10) + 1;
    if (size < bytes.length) truncateSync(path, size);
    const lines = [...linesOf(bytes)];
    const last = lines.at(-1);
    const { event, ts, agent_id, seq, ...rest } = make(lines.length + 1);
    const chained = { event, ts, agent_id, seq, ...(last ? { prev: lineHash(last) } : {}), ...rest };
    const text = JSON.stringify(chained);
    appendNow(path, `${text}\n`, 0o600);
    commits.soon(syncablePath(path));
    noteIfPossible(journal, agentId, { lines: lines.length + 1, head: lineHash(text) });
    return chained;
  });
}

/** The line stands there: whoever verifies the file knows that such a one may come behind its end. */
function noteIfPossible(journal: string, agentId: string, end: RunEnd): void {
  try {
    noteEnd(journal, agentId, end);
  } catch {
    // A full disk, or a lock that another process holds for long.
  }
}

/** Appends to the file of a run that has ended: that a later run goes on from it. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { appendNow } from "../../files/writing/append-whole.ts";
import { unpackRun } from "./compressed-run.ts";
import { whileEndedLocked } from "./ended-lock.ts";
import { fileLines } from "../../files/lines/file-lines.ts";
import { type CutLine, LineCutter } from "../../files/lines/line-cutter.ts";
import { commits, syncablePath } from "../../files/writing/group-commit.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { lineHash } from "../chain/hash-chain.ts";
import { compressedFile, endedFile } from "../runs/run-files.ts";
import { noteEnd, type RunEnd } from "../chain/run-heads.ts";

/** How often a file that is packed just then is unpacked again. */
const tries = 3;

const pieceBytes = 64 * 1024;

/** Where a file stands: how many whole lines it has, where the last one begins, and where it ends. */
type End = { lines: number; lastLine: number; size: number };

/**
 * Appends the event that `make` gives for the file's next line number, chained to the line before and never earlier than it. A torn last line is cut:
 * whoever wrote it writes it again.
 * @throws Error with code ENOENT when there is no such file; FileLinesError
 */
export async function appendToEnded(
  journal: string,
  agentId: string,
  make: (seq: number) => AgentEvent,
): Promise<AgentEvent> {
  const path = endedFile(journal, agentId);
  for (let left = tries; ; left--) {
    await unpackRun(journal, agentId);
    const isPacked = () =>
      !statSync(path, { throwIfNoEntry: false }) && statSync(compressedFile(journal, agentId)).size;
    if (left > 0 && isPacked()) continue;
    // Nearly all of it is read before the lock is taken, which stops the whole program.
    const before = await endOf(path);
    const written = whileEndedLocked(journal, () => {
      if (left > 0 && isPacked()) return null;
      const file = openSync(path, "r+");
      try {
        const end = endFrom(file, before);
        if (end.size < fstatSync(file).size) ftruncateSync(file, end.size);
        const { event, ts, agent_id, seq, ...rest } = make(end.lines + 1);
        const last = end.lines === 0 ? null : lastLineOf(file, end);
        const prev = last && { prev: lineHash(last) };
        const notBefore = (last && parseEventLine(last.toString("utf8"))?.ts) ?? 0;
        const chained = { event, ts: Math.max(notBefore, ts), agent_id, seq, ...prev, ...rest };
        const text = JSON.stringify(chained);
        appendNow(path, `${text}\n`, 0o600);
        noteIfPossible(journal, agentId, { lines: end.lines + 1, head: lineHash(text) });
        return chained;
      } finally {
        closeSync(file);
      }
    });
    if (written === null) continue;
    commits.soon(syncablePath(path));
    return written;
  }
}

async function endOf(path: string): Promise<End> {
  let end: End = { lines: 0, lastLine: 0, size: 0 };
  for await (const line of fileLines(path)) end = behind(end, line);
  return end;
}

/** Reads on to the file's end: what somebody else has appended since is little. */
function endFrom(file: number, before: End): End {
  let end = before;
  const cutter = new LineCutter(before.size);
  const piece = Buffer.alloc(pieceBytes);
  for (let position = before.size; ; ) {
    const count = readSync(file, piece, 0, pieceBytes, position);
    if (count === 0) return end;
    position += count;
    for (const line of cutter.push(piece.subarray(0, count))) end = behind(end, line);
  }
}

const behind = ({ lines, size }: End, line: CutLine): End => ({ lines: lines + 1, lastLine: size, size: line.end });

function lastLineOf(file: number, { lastLine, size }: End): Buffer {
  const line = Buffer.alloc(size - lastLine - 1);
  for (let done = 0; done < line.length; ) {
    const count = readSync(file, line, done, line.length - done, lastLine + done);
    if (count === 0) break;
    done += count;
  }
  return line;
}

/** The line stands there: whoever verifies the file knows that such a one may come behind its end. */
function noteIfPossible(journal: string, agentId: string, end: RunEnd): void {
  try {
    noteEnd(journal, agentId, end);
  } catch {
    // A full disk, or a lock that another process holds for long.
  }
}

/** Follows a run's file from its first line on, until the run has ended. */
import { existsSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEvent } from "../protocol/event.ts";
import { bytesOf, linesOf, parseEventLine } from "./read-run.ts";
import { activeFile, compressedFile, endedFile, runFile, runState, wasPruned } from "./run-files.ts";

const lookEveryMs = 50;
const chunkBytes = 64 * 1024;

export type TailedLine = { line: string; event: AgentEvent };

/** Yields each line as it stands in the file. A run that waits has none yet: it is waited for. */
export async function* tailRun(journal: string, agentId: string): AsyncGenerator<TailedLine> {
  const file = await openRun(journal, agentId);
  if (file === "compressed") return yield* compressedLines(journal, agentId);
  if (file === "pruned") return;
  try {
    const buffer = Buffer.alloc(chunkBytes);
    let rest = Buffer.alloc(0);
    for (;;) {
      // Closing a run gives its file another name; the file stays the same. So whether it has ended is asked first.
      const hasEnded = runState(journal, agentId) !== "active";
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        const line = rest.subarray(0, at).toString("utf8");
        rest = rest.subarray(at + 1);
        const event = parseEventLine(line);
        if (event) yield { line, event };
      }
      if (bytesRead > 0) continue;
      if (hasEnded) return;
      await delay(lookEveryMs);
    }
  } finally {
    await file.close();
  }
}

/** The lines of a run's file as they are now, by number: from the first up to, not including, the last. None without a file. */
export function linesOfRun(journal: string, agentId: string, from: number, to: number): TailedLine[] {
  for (;;) {
    const path = runFile(journal, agentId);
    if (path === null) return [];
    const bytes = bytesOf(path);
    if (bytes) return [...tailedLines(bytes)].filter(({ event: { seq } }) => seq >= from && seq < to);
    // It has got another name meanwhile.
  }
}

function compressedLines(journal: string, agentId: string): Generator<TailedLine> {
  return tailedLines(bytesOf(compressedFile(journal, agentId)) ?? Buffer.alloc(0));
}

function* tailedLines(whole: Buffer): Generator<TailedLine> {
  for (const bytes of linesOf(whole)) {
    const line = bytes.toString("utf8");
    const event = parseEventLine(line);
    if (event) yield { line, event };
  }
}

async function openRun(journal: string, agentId: string): Promise<FileHandle | "compressed" | "pruned"> {
  for (;;) {
    for (const path of [activeFile(journal, agentId), endedFile(journal, agentId)]) {
      const file = await open(path, "r").catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      });
      if (file) return file;
    }
    if (existsSync(compressedFile(journal, agentId))) return "compressed";
    if (wasPruned(journal, agentId)) return "pruned";
    await delay(lookEveryMs);
  }
}

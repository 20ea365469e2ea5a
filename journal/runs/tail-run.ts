/** Follows a run's file from its first line on, until the run has ended. */
import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "../../files/errors/errno.ts";
import { openFile } from "../../files/lines/file-lines.ts";
import { LineCutter } from "../../files/lines/line-cutter.ts";
import { type RunLine, RunReader } from "./read-run.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { activeFile, compressedFile, endedFile, runState, wasPruned } from "./run-files.ts";

const lookEveryMs = 50;
const chunkBytes = 64 * 1024;

/** Yields each line as it stands in the file. A run that waits has none yet: it is waited for. */
export async function* tailRun(journal: string, agentId: string): AsyncGenerator<RunLine> {
  const file = await openRun(journal, agentId);
  if (file === "compressed") return yield* new RunReader(journal, agentId).lines();
  if (file === "pruned") return;
  try {
    const buffer = Buffer.alloc(chunkBytes);
    const cutter = new LineCutter();
    for (;;) {
      // Closing a run gives its file another name; the file stays the same. So whether it has ended is asked first.
      const hasEnded = runState(journal, agentId) !== "active";
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      for (const { bytes } of cutter.push(buffer.subarray(0, bytesRead))) {
        const line = bytes.toString("utf8");
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

async function openRun(journal: string, agentId: string): Promise<FileHandle | "compressed" | "pruned"> {
  for (;;) {
    for (const path of [activeFile(journal, agentId), endedFile(journal, agentId)]) {
      const file = await openFile(path).catch((error: unknown) => {
        if (hasCode(error, "ENOENT")) return null;
        throw error;
      });
      if (file) return file;
    }
    if (existsSync(compressedFile(journal, agentId))) return "compressed";
    if (wasPruned(journal, agentId)) return "pruned";
    await delay(lookEveryMs);
  }
}

/** The exit FIFO of a run: all its processes hold it open, so it comes to its end when the last one exits. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "../../files/errors/errno.ts";
import { agentOf, exitOf } from "./run.ts";

/** A shim that hasn't opened the FIFO by then never will: it was killed at birth, or its disk is full. */
export const birthMs = 10_000;

/** Resolves when the last process of the run has exited. Rejects only with the reason of `signal`. */
export async function exitOfRun(folder: string, signal: AbortSignal): Promise<void> {
  const line = await openExitFifo(folder, signal);
  if (line === null) return;
  if (isOver(line)) {
    closeSync(line);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const socket = new Socket({ fd: line, readable: true, writable: false });
    // A FIFO whose last writer left unseen never says so; a read does.
    const look = setInterval(() => isOver(line) && end(), 1000);
    const abort = () => end(signal.reason);
    const end = (reason?: unknown) => {
      clearInterval(look);
      signal.removeEventListener("abort", abort);
      socket.destroy();
      if (reason === undefined) resolve();
      else reject(reason);
    };
    signal.addEventListener("abort", abort);
    socket.on("end", () => end()).on("error", () => end());
    socket.resume();
  });
}

/**
 * The FIFO, or null when there was never one, or when the run was over before it was opened. It is opened only when the
 * agent has been born: before that the shim may not hold it yet, and it would look as if all were over.
 */
async function openExitFifo(folder: string, signal: AbortSignal): Promise<number | null> {
  const deadline = performance.now() + birthMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    signal.throwIfAborted();
    if (agentOf(folder)) return openSync(join(folder, "life"), constants.O_RDONLY | constants.O_NONBLOCK);
    if (exitOf(folder).code !== null || performance.now() > deadline) return null;
    await delay(pauseMs, undefined, { signal });
  }
}

/** A read says 0 when no writer is left, and EAGAIN while there is one. */
function isOver(line: number): boolean {
  try {
    return readSync(line, Buffer.alloc(1)) === 0;
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return false;
    throw error;
  }
}

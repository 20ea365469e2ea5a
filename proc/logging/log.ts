/** Logs: JSON lines, one a fact; on stderr, or in a log of the program's own. */
import { writeSync } from "node:fs";
import { type Logger, pino } from "pino";
import { hasCode } from "../../files/errors/errno.ts";
import { captureStderr } from "./capture-stderr.ts";

export type { Logger };

/** Takes a line with its LF, and never throws. */
export type LogDestination = { write: (line: string) => void };

/** How often a full pipe is tried again, a millisecond apart, before a line is given up. */
const maxTries = 1000;

/**
 * A service's logger. `CORTEX_LOG_LEVEL=debug` adds each transition. Written synchronously: nothing is lost at exit.
 * @param own the program's own log; whatever else it prints on stderr goes there too. Without one: stderr
 * @param isForeground somebody watches: what it prints on stderr is for them
 */
export function logOf(program: string, own?: LogDestination, isForeground = false): Logger {
  const wanted = process.env["CORTEX_LOG_LEVEL"] || "info";
  const isKnown = Object.hasOwn(pino.levels.values, wanted) || wanted === "silent";
  const level = isKnown ? wanted : "info";
  const log = pino(
    { name: program, level, base: { name: program, pid: process.pid } },
    own ?? { write: writeToStderr },
  );
  if (!isKnown) log.warn({ CORTEX_LOG_LEVEL: wanted }, "no such log level: using info");
  if (own && !isForeground) captureStderr(log);
  return log;
}

/** A log that nobody reads any more, or a disk that is full, stops no program. */
function writeToStderr(line: string): void {
  const bytes = Buffer.from(line);
  let tries = 0;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      if (!hasCode(error, "EAGAIN") || ++tries > maxTries) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

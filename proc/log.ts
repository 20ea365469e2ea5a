/** Logs: JSON lines on stderr, one a fact. */
import { type Logger, pino } from "pino";

export type { Logger };

/** A service's logger. `CORTEX_LOG_LEVEL=debug` adds each transition. Written synchronously: nothing is lost at exit. */
export function logOf(program: string): Logger {
  const level = process.env["CORTEX_LOG_LEVEL"] ?? "info";
  return pino(
    { name: program, level, base: { name: program, pid: process.pid } },
    pino.destination({ fd: 2, sync: true }),
  );
}

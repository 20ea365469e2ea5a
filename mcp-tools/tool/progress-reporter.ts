/** Reports of a call under way to its client: progress, and log messages. */
import type { ServerNotification } from "@modelcontextprotocol/server";
import { type LogLevel, severityOf } from "./log-levels.ts";

export type ProgressReporter = {
  /** Aborted when the call is cancelled, or nobody waits for its answer any more. */
  signal: AbortSignal;
  /** How much is done, of how much. Each value must be above the one before. Noted at level `debug`, too. */
  progress(done: number, total?: number, message?: string): void;
  log(level: LogLevel, text: string): void;
};

/** The reports that the client asked for: without a token there is no progress, without a level no log. */
export type ReportOptions = { progressToken?: string | number | undefined; logLevel?: LogLevel | undefined };

/** A tool that talks without end fills the memory of a server whose client reads slowly. */
const maxNotices = 1_000;
const maxCharacters = 8_000;

/** @param send must not throw; what can't be delivered is dropped */
export function progressReporter(
  tool: string,
  options: ReportOptions,
  signal: AbortSignal,
  send: (notice: ServerNotification) => void,
): ProgressReporter {
  let left = maxNotices;
  const notify = (notice: ServerNotification) => {
    if (!signal.aborted && left-- > 0) send(notice);
  };
  const { progressToken, logLevel } = options;
  const log: ProgressReporter["log"] = (level, text) => {
    if (logLevel === undefined || severityOf(level) < severityOf(logLevel)) return;
    const params = { level, logger: tool, data: text.slice(0, maxCharacters) };
    notify({ method: "notifications/message", params });
  };
  return {
    signal,
    progress(progress, total, message) {
      log(
        "debug",
        [total === undefined ? `at ${progress}` : `${progress} of ${total}`, message ?? []].flat().join(": "),
      );
      if (progressToken === undefined) return;
      const params = { progressToken, progress, ...(total !== undefined && { total }), ...cut(message) };
      notify({ method: "notifications/progress", params });
    },
    log,
  };
}

const cut = (message: string | undefined) =>
  message === undefined ? {} : { message: message.slice(0, maxCharacters) };

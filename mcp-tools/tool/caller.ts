/** How a tool that is at work talks back to whoever called it: how far it is, and what is worth noting. */
import type { ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import { type LogLevel, severityOf } from "./log-levels.ts";

export type Caller = {
  /** Aborted when the call is cancelled, or nobody waits for its answer any more. */
  signal: AbortSignal;
  /** How much is done, of how much. Each value must be above the one before. Noted at level `debug`, too. */
  progress(done: number, total?: number, message?: string): void;
  log(level: LogLevel, text: string): void;
};

/** What was asked for: without a token there is no progress, without a level no log. */
export type Wishes = { progressToken?: string | number | undefined; logLevel?: LogLevel | undefined };

/** A tool that talks without end fills the memory of a server whose client reads slowly. */
const maxNotices = 1_000;
const maxCharacters = 8_000;

/** @param send must not throw; what can't be delivered is dropped */
export function callerOf(
  tool: string,
  wishes: Wishes,
  signal: AbortSignal,
  send: (notice: ServerNotification) => void,
): Caller {
  let left = maxNotices;
  const notify = (notice: ServerNotification) => {
    if (!signal.aborted && left-- > 0) send(notice);
  };
  const { progressToken, logLevel } = wishes;
  const log: Caller["log"] = (level, text) => {
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

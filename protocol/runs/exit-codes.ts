/** The exit codes of all commands. */
import type { ErrorReason } from "../events/error-reason.ts";

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  budget: 4,
  timeout: 5,
  noBus: 69,
  cancelled: 130,
} as const;

/** A supervised program that exits with this isn't started again: it would end the same way. s6 has the same convention. */
export const doNotRestart = 125;

/** The meaning of each exit code, for the documents. */
export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  done: "done",
  failed: "the run failed",
  usage: "wrong usage or configuration",
  refused: "the request was refused",
  budget:
    "a limit was reached: of cost, tokens, model calls or time in total, of a day, or of what a run may take of the machine",
  timeout: "the run took too long, or was silent too long",
  noBus: "no bus or no cortex: start it with `cortex up`",
  cancelled: "cancelled",
};

/** The exit code that a run's `reason` stands for. */
export function exitCodeOf(reason: ErrorReason | undefined): number {
  switch (reason) {
    case "config":
      return exitCodes.usage;
    case "budget":
      return exitCodes.budget;
    case "timeout":
    case "idle":
      return exitCodes.timeout;
    case "cancelled":
      return exitCodes.cancelled;
    default:
      return exitCodes.failed;
  }
}

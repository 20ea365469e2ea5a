/** The exit codes of all commands. */
import type { ErrorReason } from "./event.ts";

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

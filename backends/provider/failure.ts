/** A run that can't go on for a reason that can be expected: it becomes the run's `error` event. Anything else that is thrown is a defect. */
import type { ErrorReason } from "../../protocol/events/error-reason.ts";

/** The exact failure, for programs. The words are those of the event's `detail`. */
export type FailureDetail =
  | "too_long"
  | "unavailable"
  | "rate_limited"
  | "rejected"
  | "unreadable"
  | "empty"
  | "cut_off"
  | "turn_limit"
  | "refused";

export class RunFailure extends Error {
  readonly reason: ErrorReason;
  readonly detail: FailureDetail | undefined;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions & { detail?: FailureDetail | undefined }) {
    super(message, options);
    this.name = "RunFailure";
    this.reason = reason;
    this.detail = options?.detail;
  }
}

/** An error's message, with those of its causes: `fetch failed` alone says nothing. */
export function messageWithCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || ("code" in error ? String(error.code) : error.name);
  if (error.cause === undefined) return own;
  const cause = messageWithCauses(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}

/** A request that can't become a process: what it asks for isn't there, isn't allowed, or was tried too often. */
import type { ErrorReason } from "../../protocol/events/error-reason.ts";

export class ConfigError extends Error {
  override name = "ConfigError";
  readonly reason: ErrorReason;
  /** The exact cause, for programs. */
  readonly detail: "source_missing" | undefined;

  constructor(message: string, reason: ErrorReason = "config", detail?: "source_missing") {
    super(message);
    this.reason = reason;
    this.detail = detail;
  }
}

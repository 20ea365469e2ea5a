/** The reasons for which a request can't be met. Its code is part of the API. */
export type WorkspaceErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "too_large"
  | "rate_limited";

export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode;
  /** The advice of what to do about it. */
  readonly hint: string | undefined;

  constructor(code: WorkspaceErrorCode, message: string, hint?: string) {
    super(message);
    this.name = "WorkspaceError";
    this.code = code;
    this.hint = hint;
  }
}

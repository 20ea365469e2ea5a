/** What can't be done for whoever asked, in words for them. Its code is part of the API. */
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
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(code: WorkspaceErrorCode, message: string, hint?: string) {
    super(message);
    this.name = "WorkspaceError";
    this.code = code;
    this.hint = hint;
  }
}

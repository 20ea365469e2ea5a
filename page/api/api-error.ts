/** The failure of a request, in words for people. */

/** The server refused it. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, { code, message, hint }: Problem) {
    super(message ?? `the server answered with status ${status}`);
    this.status = status;
    this.code = code ?? "internal";
    this.hint = hint;
  }
}

/** Nothing answered. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

type Problem = { code?: string; message?: string; hint?: string };

/** The problem that an answer tells of: `{"error": {…}}` of the API, `{"error": "…"}` of the channel. */
export function problemOf(body: unknown): Problem {
  const { error } = (body ?? {}) as { error?: Problem | string };
  return typeof error === "string" ? { message: error } : (error ?? {});
}

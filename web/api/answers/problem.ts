/** Problem: what a request is refused with, and the status that goes with its code. */
import { z } from "zod";
import { UnavailableError } from "../../machine/base/machine-base.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";

const statuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ProblemCode = keyof typeof statuses;
const codes = Object.keys(statuses) as ProblemCode[];

export const Problem = z
  .object({
    error: z.object({
      code: z.enum(codes),
      message: z.string().meta({ description: "The problem." }),
      hint: z.string().optional().meta({ description: "The advice of what to do." }),
    }),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The meaning of each status, for the description of the API. */
export const meanings: Readonly<Record<number, string>> = {
  400: "A field is wrong.",
  401: "There is no token or session, or it isn't valid.",
  403: "The role doesn't allow it, a change by cookie has no X-CSRF-Token, or Host or Origin is foreign.",
  404: "There is no such thing, or it is of a workspace of others.",
  409: "It can't be done as things are, or the Idempotency-Key was used with another request.",
  413: "The body is too long.",
  415: "The body isn't JSON.",
  429: "Too many requests of this user: try again after `Retry-After`.",
  503: "The database, the disk or the bus can't be reached or written, or too many listen: try again after `Retry-After`.",
};

/** Seconds for which a client waits that was refused for now. */
const retryAfterSeconds = 5;

/** Refused for now: it may be sent again. */
export class RefusedForNow extends Error {
  readonly code: "rate_limited" | "unavailable";
  readonly retryAfterSeconds: number;

  constructor(code: RefusedForNow["code"], message: string, afterSeconds = retryAfterSeconds) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = afterSeconds;
  }
}

export type Refusal = { status: number; problem: Problem; retryAfterSeconds?: number };

/** The answer to a request that failed with an error. `internal` is our own fault; its message stays in the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof WorkspaceError) return refusal(error.code, error.message, error.hint);
  if (error instanceof RefusedForNow)
    return { ...refusal(error.code, error.message), retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof UnavailableError) return { ...refusal("unavailable", error.message), retryAfterSeconds };
  const code = codeOfServer(error);
  if (code !== undefined && error instanceof Error) return refusal(code, error.message);
  if (isDatabaseAway(error))
    return { ...refusal("unavailable", "the database or the disk can't be reached or written now"), retryAfterSeconds };
  return refusal("internal", "the server failed: its log says why");
}

export function refusal(code: ProblemCode, message: string, hint?: string): Refusal {
  return { status: statuses[code], problem: { error: { code, message, ...(hint !== undefined && { hint }) } } };
}

/** An error of the HTTP server, which has a status. */
function codeOfServer(error: unknown): ProblemCode | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  const known = codes.find((code) => statuses[code] === statusCode);
  if (known !== undefined) return known;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? "invalid" : undefined;
}

/** SQLITE_BUSY, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN. */
const sqliteAway = new Set([5, 8, 10, 13, 14]);
/** Classes of PostgreSQL: connection exception, insufficient resources, operator intervention, system error. */
const postgresAway = /^(?:08|53|57|58)/;

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number") return sqliteAway.has(error.errcode & 0xff);
  if (!("code" in error) || typeof error.code !== "string")
    return /^Connection terminated|timeout exceeded/.test(error.message);
  return (
    postgresAway.test(error.code) ||
    /^(?:ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ENOTFOUND|ETIMEDOUT|ENOSPC|EDQUOT|EROFS)$/.test(error.code)
  );
}

/** Errors as OpenAI's API tells them: `{"error": {"message", "type", "param", "code"}}`. */
import type { ErrorReason } from "../../../protocol/events/error-reason.ts";

/** A request that isn't answered, or an answer that broke off. */
export class OpenAiError extends Error {
  override name = "OpenAiError";
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;

  constructor(status: number, message: string, { code, param }: { code?: string; param?: string } = {}) {
    super(message);
    this.status = status;
    this.code = code ?? null;
    this.param = param ?? null;
  }
}

/** The type that clients tell kinds of failures apart by. */
function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

export const errorBody = ({ status, message, code, param }: OpenAiError) => ({
  error: { message, type: typeOf(status), param, code },
});

/**
 * The status of a run that failed. Clients try again what is 408, 409, 429 or 5xx: a run that spent its budget, or was
 * stopped, isn't begun again by that.
 */
const statuses: Record<ErrorReason, number> = {
  budget: 402,
  cancelled: 400,
  config: 400,
  loop: 400,
  timeout: 400,
  idle: 400,
  provider: 502,
  crash: 500,
  interrupted: 500,
  internal: 500,
};

/** The error of a run's `error` event. */
export const runError = (message: string, reason: ErrorReason | undefined): OpenAiError =>
  new OpenAiError(statuses[reason ?? "internal"], message, { code: reason ?? "internal" });

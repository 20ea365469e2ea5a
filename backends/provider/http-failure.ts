/** A provider's refusal becomes a message that says what to do. */
import type { FailureDetail } from "./failure.ts";
import { retryAfterMs } from "./retry-after.ts";
import { ProviderError } from "./provider.ts";
import { UnreadableError } from "./unreadable-error.ts";

/** Length of an answer that isn't the provider's own, as it is shown. */
const shownLength = 200;

export type HttpRefusal = {
  /** The backend's name. */
  backend: string;
  /** The variable that holds its key. */
  keyName: string;
  status: number;
  headers: { get(name: string): string | null };
  /** The provider's own description of the error. */
  message: string;
  /** Whether the provider says that the conversation is longer than the model accepts. */
  isTooLong: boolean;
  cause?: unknown;
};

/** The failure that an HTTP status and its message stand for. */
export function httpFailure({
  backend,
  keyName,
  status,
  headers,
  message,
  isTooLong,
  cause,
}: HttpRefusal): ProviderError {
  const said = /^\s*<(!doctype|html)/i.test(message)
    ? `a page instead of an answer, from a proxy perhaps: ${message}`
    : message;
  const shown = said.replaceAll(/\s+/g, " ").trim().slice(0, shownLength);
  const retry = { status, retryAfterMs: retryAfterMs(headers, Date.now()), cause };
  if (status === 401 || status === 403)
    return new ProviderError(`${backend} refused the key (${status}): check ${keyName}. It says: ${shown}`, {
      ...retry,
      reason: "config",
    });
  if (isTooLong)
    return new ProviderError(
      `the conversation is longer than the model takes (${status}): begin a new run, or choose a model with a larger context. ${backend} says: ${shown}`,
      { ...retry, detail: "too_long" },
    );
  return new ProviderError(`${backend} answered ${status}: ${shown}`, { ...retry, detail: detailOf(status) });
}

/** Undefined: what the status says by itself. */
function detailOf(status: number): FailureDetail | undefined {
  if (status < 300) return "unreadable";
  return status < 500 && status !== 408 && status !== 429 ? "rejected" : undefined;
}

/** A connection that failed or broke off, or over which nothing came that could be read. Tried again. */
export function brokenConnection(backend: string, message: string, cause: unknown): ProviderError {
  const isUnreadable = cause instanceof UnreadableError || cause instanceof SyntaxError;
  const detail = isUnreadable ? "unreadable" : undefined;
  return new ProviderError(`the connection to ${backend} broke: ${message}`, { isBroken: true, detail, cause });
}

/** No key where one is needed. */
export function missingKey(backend: string, keyName: string): ProviderError {
  return new ProviderError(`${backend} needs a key: set ${keyName} where cortex runs, or use --backend offline`, {
    reason: "config",
  });
}

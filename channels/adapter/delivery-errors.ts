/** Errors of a delivery, by whether it may be tried again. */

/** The message didn't arrive, and never will: the service refuses it. */
export class PermanentDeliveryError extends Error {
  override name = "PermanentDeliveryError";
}

/** The message surely didn't arrive, and may be tried again. */
export class RetryableDeliveryError extends Error {
  override name = "RetryableDeliveryError";
  /** Pause that the service has asked for, in ms. */
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** Codes of errors before a connection was made, so that nothing can have arrived. From Node and undici. */
const unconnectedCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** The code of an error, or of what it was caused by, that says that no connection was made. */
export function unconnectedCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string" && unconnectedCodes.includes(at.code)) return at.code;
  return undefined;
}

/** The error that an answer's HTTP status means for a delivery; undefined: the message arrived. */
export function failureOfStatus(status: number, what: string, afterMs?: number): Error | undefined {
  if (status >= 200 && status < 300) return undefined;
  const message = `${what} answered ${status}`;
  if (status === 429 || status === 503) return new RetryableDeliveryError(message, afterMs);
  // Others of the 500s may come from somebody between us and whoever has taken it.
  return status >= 500 ? new Error(message) : new PermanentDeliveryError(message);
}

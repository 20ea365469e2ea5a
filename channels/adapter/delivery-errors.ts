/** How a delivery can fail, as far as somebody who may try again has to know. */

/** It didn't arrive, and never will: whoever is outside refuses it. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

/** It surely didn't arrive. It may be tried again. */
export class NotNowError extends Error {
  override name = "NotNowError";
  /** As whoever is outside has asked, in ms; undefined: as soon as one likes. */
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** No connection was made, so nothing was said over it. From Node and undici. */
const neverSaid = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/** The code of an error, or of what it was caused by, that says that no connection was made. */
export function unconnectedCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string" && neverSaid.includes(at.code)) return at.code;
  return undefined;
}

/** What an answer with an HTTP status means for a delivery; undefined: it arrived. */
export function failureOfStatus(status: number, what: string, afterMs?: number): Error | undefined {
  if (status >= 200 && status < 300) return undefined;
  const message = `${what} answered ${status}`;
  if (status === 429 || status === 503) return new NotNowError(message, afterMs);
  // Others of the 500s may come from somebody between us and whoever has taken it.
  return status >= 500 ? new Error(message) : new RefusedError(message);
}

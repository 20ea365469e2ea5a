/** Maps a refusal of Google's API to a failure that the loop understands. Pure. */
import { z } from "zod";
import { httpFailure } from "../provider/http-failure.ts";
import { ProviderError } from "../provider/provider.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";

export const keyName = "GEMINI_API_KEY";

/** The API's own words, as the cause of a ProviderError: `unsupported-parameters.ts` learns from them. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

const ErrorBody = z.object({
  error: z.object({
    message: z.string().catch(""),
    // `google.rpc.ErrorInfo` has a `reason`, `google.rpc.RetryInfo` a `retryDelay`.
    details: z
      .array(z.looseObject({ reason: z.unknown().optional(), retryDelay: z.unknown().optional() }))
      .optional()
      .catch(undefined),
  }),
});
type ErrorBody = z.infer<typeof ErrorBody>["error"];

/** @param message must not hold a key */
export function failureOf(status: number, headers: Headers, body: string): ProviderError {
  const { message, details = [] } = errorIn(body);
  const cause = new Refusal(status, message);
  if (isRefusedKey(status, message, details)) {
    const said = message.replaceAll(/\s+/g, " ").slice(0, 200);
    return new ProviderError(`google refused the key (${status}): check ${keyName}. It says: ${said}`, {
      status,
      reason: "config",
      cause,
    });
  }
  return httpFailure({
    backend: "google",
    keyName,
    status,
    headers: withDelay(headers, details),
    message,
    isTooLong: isTooLong(status, message),
    cause,
  });
}

/** The API's JSON, alone or as an array of one; whatever else a proxy says is its own message. */
function errorIn(body: string): ErrorBody {
  try {
    const parsed: unknown = parseJson(body);
    const { success, data } = ErrorBody.safeParse(Array.isArray(parsed) ? parsed[0] : parsed);
    if (success) return data.error;
  } catch {
    // It isn't JSON.
  }
  return { message: body };
}

/** A wrong key isn't a 401 here. */
function isRefusedKey(status: number, message: string, details: NonNullable<ErrorBody["details"]>): boolean {
  if (status !== 400) return false;
  return details.some(({ reason }) => reason === "API_KEY_INVALID") || /^API key (not|expired)/i.test(message);
}

function isTooLong(status: number, message: string): boolean {
  if (status === 413) return true;
  return status === 400 && /input token count|number of tokens allowed|payload size exceeds/i.test(message);
}

/** The wait stands in the body, in seconds: `"17s"`, `"58.93s"`. A header, where there is one, is later and so truer. */
function withDelay(headers: Headers, details: NonNullable<ErrorBody["details"]>): { get(name: string): string | null } {
  const delay = details.map(({ retryDelay }) => retryDelay).find((value) => typeof value === "string");
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  if (seconds === undefined || headers.has("retry-after") || headers.has("retry-after-ms")) return headers;
  return { get: (name) => (name === "retry-after-ms" ? String(Math.ceil(Number(seconds) * 1000)) : headers.get(name)) };
}

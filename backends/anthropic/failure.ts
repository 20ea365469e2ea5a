/** Maps the SDK's errors to a ProviderError that says what to do. */
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { messageWithCauses } from "../provider/failure.ts";
import { brokenConnection, httpFailure } from "../provider/http-failure.ts";
import { ProviderError } from "../provider/provider.ts";

/** The status that an error event inside a stream stands for. From the API's list of errors, where each type has one. */
const statuses: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const noHeaders = { get: () => null };

const tooLong = /prompt is too long|exceeds? (the )?(model's )?context (limit|window)|context window/i;

/** @param hide replaces the key, which a server may echo */
export function failureOf(error: unknown, hide: (text: string) => string): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    const status = error.status ?? statuses[error.type ?? ""] ?? 500;
    const message = hide(refusalOf(error));
    return httpFailure({
      backend: "anthropic",
      keyName: "ANTHROPIC_API_KEY",
      status,
      headers: error.headers ?? noHeaders,
      message,
      isTooLong: status === 413 || (status === 400 && tooLong.test(message)),
      cause: error,
    });
  }
  return brokenConnection("anthropic", hide(messageWithCauses(error)), error);
}

/** The API's own description of the error. */
export function refusalOf(error: APIError): string {
  // Without a JSON body the SDK's message is the status and the body.
  return error.apiMessage ?? error.message.replace(/^\d{3} /, "");
}

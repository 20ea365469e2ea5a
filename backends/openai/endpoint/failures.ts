/** Maps failures of OpenAI, and of servers that speak its dialect, to a ProviderError by their own words. */
import { APIConnectionError, APIError, APIUserAbortError } from "openai";
import { messageWithCauses } from "../../provider/failure.ts";
import { brokenConnection, httpFailure } from "../../provider/http-failure.ts";
import type { ProviderError } from "../../provider/provider.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import type { StreamFailures } from "../../provider/server-events.ts";
import type { Endpoint } from "./endpoint.ts";

/** A failed request as the loop wants it; what isn't the provider's is returned as it is. */
export function failureOf(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof APIError) || error instanceof APIUserAbortError) return error;
  if (error instanceof APIConnectionError || error.status === undefined) return brokenStream(endpoint, error);
  return refusal(endpoint, error.status, wordsOf(error), codeOf(error.error), error.headers ?? noHeaders, error);
}

/** The failures of an endpoint's streams. */
export function streamFailures(endpoint: Endpoint): StreamFailures {
  return {
    broken: (cause) => brokenStream(endpoint, cause),
    page: (status, page) => refusal(endpoint, status, page, "", noHeaders, undefined),
  };
}

function brokenStream(endpoint: Endpoint, cause: unknown): ProviderError {
  return brokenConnection(endpoint.backend, withoutKey(messageWithCauses(cause), endpoint), cause);
}

/**
 * An error that came inside a stream, behind a status of 200: `{code, type, message}`, all of them optional. Where nothing says
 * that the request itself is at fault, the server is, and may be asked again.
 */
export function failedInStream(endpoint: Endpoint, error: unknown): ProviderError {
  return refusal(endpoint, statusOf(error), sentence(error), codeOf(error), noHeaders, undefined);
}

/** An error's code, parameter and message, in one text. */
export function textOfRefusal(error: unknown): string | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  return `${error.code ?? ""} ${error.param ?? ""} ${wordsOf(error)}`;
}

const noHeaders = { get: () => null };

/** Some servers repeat the key that they refuse. Hidden here, since a long message is cut, perhaps inside of it. */
function withoutKey(text: string, { key }: Endpoint): string {
  return key === undefined ? text : text.replaceAll(key, "***");
}

function refusal(
  endpoint: Endpoint,
  status: number,
  message: string,
  code: string,
  headers: { get(name: string): string | null },
  cause: unknown,
): ProviderError {
  return httpFailure({
    backend: endpoint.backend,
    keyName: endpoint.keyName,
    status,
    headers,
    message: withoutKey(message, endpoint) || "nothing more",
    isTooLong: status >= 400 && status < 500 && isTooLong(code, message),
    cause,
  });
}

/**
 * `context_length_exceeded` is OpenAI's; the words are those of vLLM ("maximum context length"), llama.cpp ("exceeds the
 * available context size"), OpenRouter and others. An answer that is asked to be longer than the model can isn't the same.
 */
function isTooLong(code: string, message: string): boolean {
  if (/context_length_exceeded|exceed_context_size/.test(code)) return true;
  return (
    /(maximum|available) context|context (length|window|size)|prompt is too long/i.test(message) &&
    !/max_(completion_|output_)?tokens\W+is too large/i.test(message)
  );
}

/** The SDK puts the status before what it found. What isn't JSON, a proxy's page for one, it has nowhere else. */
function wordsOf(error: APIError): string {
  return error.error === undefined || error.error === null
    ? error.message.replace(/^\d{3} (status code \(no body\))?/, "")
    : sentence(error.error);
}

/** OpenRouter's own message is "Provider returned error", and what that one said stands beside it. */
function sentence(error: unknown): string {
  if (typeof error === "string") return error;
  if (!isRecord(error)) return error === undefined ? "" : JSON.stringify(error);
  const { message, metadata } = error;
  const raw = isRecord(metadata) && typeof metadata["raw"] === "string" ? `: ${metadata["raw"]}` : "";
  return typeof message === "string" ? `${message}${raw}` : JSON.stringify(error);
}

function codeOf(error: unknown): string {
  if (!isRecord(error)) return "";
  return [error["code"], error["type"]].filter((part) => typeof part === "string").join(" ");
}

function statusOf(error: unknown): number {
  const code = codeOf(error);
  const number = isRecord(error) ? error["code"] : undefined;
  if (typeof number === "number" && number >= 400 && number < 600) return number;
  if (/rate_limit|insufficient_quota/.test(code)) return 429;
  if (/overloaded/.test(code)) return 503;
  return /invalid|context_length|exceed_context|policy|image|data_residency/.test(code) ? 400 : 500;
}

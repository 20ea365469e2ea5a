/** The SDK's client, with the connection in our hands: its failures, its time limits, and where the key goes. */
import { ApiError, GoogleGenAI } from "@google/genai/web";
import { fetch } from "../../proc/http/fetch.ts";
import { type HeadersSource, PlainHeaders } from "../../proc/http/headers.ts";
import { messageWithCauses } from "../provider/failure.ts";
import { brokenConnection, missingKey } from "../provider/http-failure.ts";
import { ProviderError } from "../provider/provider.ts";
import { secretHider } from "../provider/secrets.ts";
import { failureOf, keyName } from "./failure.ts";

// `/web` is the same SDK without Google's login libraries, which only Vertex needs: it loads in a quarter of the time.

/** Length of a refusal that is read. */
const maxRefusalLength = 64 * 1024;

export type Client = {
  models: GoogleGenAI["models"];
  /** Maps an error from reading a stream. */
  broken(error: unknown): ProviderError;
};

/** @throws ProviderError without a key, unless a base URL is set whose server needs none */
export function openClient(environment: NodeJS.ProcessEnv): Client {
  const key = environment[keyName]?.trim() ?? "";
  const baseUrl = environment["GOOGLE_GEMINI_BASE_URL"]?.trim() ?? "";
  if (key === "" && baseUrl === "") throw missingKey("google", keyName);
  const hide = secretHider(environment);
  const { models } = new GoogleGenAI({
    vertexai: false,
    // The SDK insists on one.
    apiKey: key || "none",
    apiVersion: "v1beta",
    httpOptions: {
      ...(baseUrl !== "" && { baseUrl }),
      fetch: (url, init) => ask(url, init, key !== "", hide),
    },
  });
  return {
    models,
    broken: (error) => {
      if (error instanceof ProviderError) return error;
      // An error that came as an event: `got status: UNAVAILABLE. {"error": …}`.
      if (error instanceof ApiError)
        return failureOf(error.status, new PlainHeaders(), hide(error.message.slice(error.message.indexOf("{"))));
      return brokenConnection("google", hide(messageWithCauses(error)).slice(0, 200), error);
    },
  };
}

/** @throws ProviderError for any answer that isn't the API's */
async function ask(
  url: string | URL | Request,
  init: RequestInit | undefined,
  hasKey: boolean,
  hide: (text: string) => string,
): Promise<Response> {
  const headers = new PlainHeaders(init?.headers as HeadersSource);
  if (!hasKey) headers.delete("x-goog-api-key");
  try {
    // The API has no redirects.
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    const isPage = /\bhtml\b/i.test(response.headers.get("content-type") ?? "");
    if (response.ok && !isPage) return response;
    throw failureOf(response.status, response.headers, hide(await beginningOf(response)));
  } catch (error) {
    if (error instanceof ProviderError || init?.signal?.aborted) throw error;
    throw brokenConnection("google", hide(messageWithCauses(error)), error);
  }
}

async function beginningOf(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > maxRefusalLength) break;
  }
  return text;
}

/** The connection to the Messages API: its address, its key, and the SDK's own habits switched off. */
import Anthropic from "@anthropic-ai/sdk";
import { fetch } from "../../proc/http/fetch.ts";
import { missingKey } from "../provider/http-failure.ts";
import { ProviderError } from "../provider/provider.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

const keyName = "ANTHROPIC_API_KEY";
const urlName = "ANTHROPIC_BASE_URL";
const ownUrl = "https://api.anthropic.com";

/** The longest that a timer takes. The run's clocks are the ones that count. */
const noTimeoutMs = 2 ** 31 - 1;

/** A server at another address may need no key. @throws ProviderError */
export function openClient(environment: NodeJS.ProcessEnv): Anthropic {
  const key = environment[keyName] || undefined;
  const baseURL = environment[urlName]?.trim() || ownUrl;
  if (!URL.canParse(baseURL))
    throw new ProviderError(`${urlName} isn't a URL: ${shownUrl(baseURL)}`, { reason: "config" });
  if (key === undefined && new URL(baseURL).origin === ownUrl) throw missingKey("anthropic", keyName);
  // `fetch` would name the whole value in its complaint.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new ProviderError(`${keyName} holds what no key does, such as a space or the end of a line: set it again`, {
      reason: "config",
    });
  return new Anthropic({
    baseURL,
    // Both are given, so that the SDK looks for no other credentials in the environment and in files.
    apiKey: key ?? "none",
    // The API takes either header; gateways that speak its dialect know this one.
    defaultHeaders: { authorization: null, "x-api-key": key ?? null },
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: "off",
    openTelemetry: false,
    fetch,
    // The API has no redirects.
    fetchOptions: { redirect: "manual" },
  });
}

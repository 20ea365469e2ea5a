/** The SDK's client without what is the loop's task: no retries, no time limits, no logging, nothing read from the environment. */
import { OpenAI } from "openai";
import { fetch } from "../../../proc/http/fetch.ts";
import type { Endpoint } from "./endpoint.ts";
import { failureOf } from "./failures.ts";

/** The longest that a timer takes. A run has clocks of its own, and cortex watches them. */
const neverMs = 2 ** 31 - 1;

export function clientOf({ baseUrl, key }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: neverMs,
    // It would write parts of answers on stderr.
    logLevel: "off",
    fetch,
    ...(key === undefined && { defaultHeaders: { authorization: null } }),
  });
}

/** The ids of the models that an endpoint offers. @throws ProviderError */
export async function modelIds(endpoint: Endpoint, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { id } of clientOf(endpoint).models.list({ signal })) ids.push(id);
  } catch (error) {
    throw failureOf(error, endpoint);
  }
  return ids.toSorted();
}

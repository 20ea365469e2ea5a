/** The SDK's client, kept from what is the loop's: no retries, no time limits, no logging, nothing read from the environment. */
import { OpenAI } from "openai";
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
    fetchOptions: patient(),
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

type Dispatcher = NonNullable<RequestInit["dispatcher"]>;
type DispatcherClass = new (options: { headersTimeout: number; bodyTimeout: number }) => Dispatcher;

/**
 * Node's fetch gives up after 300 s without a byte, which a local model may well need for a long prompt. Its dispatcher can be
 * told otherwise, but is exported by no module: its class is that of the one which is in use, proxy and all.
 */
function patient(): { dispatcher?: Dispatcher } {
  // The first use of anything of fetch's puts it there.
  void new Headers();
  const inUse: unknown = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  if (typeof inUse !== "object" || inUse === null) return {};
  const Own = inUse.constructor as DispatcherClass;
  return { dispatcher: new Own({ headersTimeout: 0, bodyTimeout: 0 }) };
}

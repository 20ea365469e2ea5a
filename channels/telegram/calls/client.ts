/** Client of the Bot API that calls it by Node's own `fetch`: with the client's, a call whose answer breaks off hangs until its limit of time. */
import { Api, type ApiClientOptions } from "grammy";

/** Seconds of a call. Longer than Telegram holds a question for which there is nothing yet. */
const timeoutSeconds = 60;

type ClientFetch = NonNullable<ApiClientOptions["fetch"]>;

export const openClient = (token: string, apiRoot: string): Api =>
  new Api(token, { apiRoot, timeoutSeconds, fetch: nodeFetch as unknown as ClientFetch });

/** @param init `signal` is of the client's library, and no signal to Node */
function nodeFetch(url: string, { signal, ...init }: RequestInit): Promise<Response> {
  const ended = new AbortController();
  if (signal?.aborted) ended.abort();
  signal?.addEventListener("abort", () => ended.abort(), { once: true });
  return fetch(url, { ...init, signal: ended.signal });
}

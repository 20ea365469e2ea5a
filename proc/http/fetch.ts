/**
 * `fetch` on the platform's older client, for programs that are started often: Node's own costs each process 50 ms of CPU and
 * 15 MiB. It is what the providers' SDKs and MCP's transport use of it, and no more:
 * - An address (no `Request`), a method, headers, a body of text or bytes, a signal. No cache, no cookies, no forms.
 * - Nothing is sent twice, also where a connection that was kept open turns out to be closed. Before one is used again, what
 *   its server has said by then is heard. What still fails fails as it does with Node's `fetch`, and is the caller's to repeat.
 * - Answers come as they are: compression isn't asked for, and one that comes all the same is an error.
 * - Redirects are followed within the origin, and from http to https of the same host on the usual ports; elsewhere they are
 *   an error, so that a key stays where it was sent.
 */
import { type Connections, ownConnections } from "./connections.ts";
import { exchange, type HttpRequest } from "./exchange.ts";
import { type HeadersSource, PlainHeaders } from "./headers.ts";
import { PlainResponse } from "./response.ts";

/** The limit of redirects, Node's own. */
const maxRedirects = 20;
const redirects = [301, 302, 303, 307, 308];

/** The headers that belong to the connection, or follow from the address and the body. */
const notTheCallers = ["connection", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

type Redirect = "follow" | "error" | "manual";

export const fetch = fetchOver(ownConnections);

/** `connectionsTo`: those to an address, of which the protocol is http or https. */
export function fetchOver(
  connectionsTo: (url: URL) => Connections,
): (input: string | URL | Request, init?: RequestInit) => Promise<PlainResponse> {
  return async (input, init = {}) => {
    let outgoing = outgoingOf(input, init);
    const redirect: Redirect = init.redirect ?? "follow";
    for (let count = 0; ; count++) {
      const { url } = outgoing;
      const { message, body } = await exchange(outgoing, connectionsTo(url));
      const status = message.statusCode ?? 0;
      const headers = PlainHeaders.received(message.rawHeaders);
      const answer = { status, statusText: message.statusMessage, headers, url: url.href, redirected: count > 0 };
      const response = new PlainResponse(body, answer);
      const location = redirects.includes(status) ? headers.get("location") : null;
      if (redirect !== "manual" && location !== null) {
        await body?.cancel();
        outgoing = redirected(outgoing, status, location, redirect === "error" || count === maxRedirects);
      } else {
        const encoding = headers.get("content-encoding") ?? "identity";
        if (body === null || /^(identity)?$/i.test(encoding)) return response;
        await body.cancel();
        throw failed(`the answer is encoded in ${encoding.slice(0, 50)}, which wasn't asked for`);
      }
    }
  };
}

function outgoingOf(input: string | URL | Request, init: RequestInit): HttpRequest {
  const url = typeof input === "string" || input instanceof URL ? URL.parse(String(input)) : null;
  if (!url) throw new TypeError("fetch failed", { cause: new TypeError("the address is no URL") });
  if (url.protocol !== "http:" && url.protocol !== "https:") throw failed(`nothing is fetched over ${url.protocol}`);
  // Not shown: it has a password in it.
  if (url.username !== "" || url.password !== "") throw failed("the address has a name or a password in it");
  const method = (init.method ?? "GET").toUpperCase();
  const body = bodyOf(init.body);
  if (body !== undefined && (method === "GET" || method === "HEAD")) throw new TypeError(`${method} has no body`);
  return {
    url,
    method,
    headers: headersOf(init.headers as HeadersSource, body),
    body,
    signal: init.signal ?? undefined,
  };
}

function bodyOf(body: RequestInit["body"]): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError("a body is text or bytes");
}

function headersOf(given: HeadersSource, body: string | Uint8Array | undefined): Record<string, string> {
  const headers = new PlainHeaders(given);
  const foreign = notTheCallers.find((name) => headers.has(name));
  if (foreign !== undefined) throw new TypeError(`the caller may not set the header ${foreign}: fetch sets it`);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", "node");
  headers.set("accept-encoding", "identity");
  headers.delete("content-length");
  if (body !== undefined) {
    headers.set("content-length", String(Buffer.byteLength(body)));
    if (typeof body === "string" && !headers.has("content-type"))
      headers.set("content-type", "text/plain;charset=UTF-8");
  }
  return Object.fromEntries(headers);
}

/** The request that a redirect asks for. */
function redirected(former: HttpRequest, status: number, location: string, isRefused: boolean): HttpRequest {
  const url = URL.parse(location, former.url.href);
  if (isRefused || !url) throw failed("unexpected redirect");
  if (!isWithin(former.url, url)) throw failed(`a redirect to ${url.origin}, which isn't followed`);
  const { method } = former;
  const isGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!isGet) return { ...former, url };
  const { "content-length": _length, "content-type": _type, ...headers } = former.headers;
  return { ...former, url, method: "GET", headers, body: undefined };
}

function isWithin(from: URL, to: URL): boolean {
  if (to.username !== "" || to.password !== "") return false;
  if (from.origin === to.origin) return true;
  return (
    from.hostname === to.hostname && from.protocol === "http:" && to.protocol === "https:" && !from.port && !to.port
  );
}

const failed = (why: string) => new TypeError("fetch failed", { cause: new Error(why) });

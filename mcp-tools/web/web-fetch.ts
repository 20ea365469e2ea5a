/**
 * Fetches a page of the web for a model, and nothing of this machine's network: the address is checked that the connection
 * goes to, at each redirect anew. So a name that leads elsewhere a moment later helps nobody. Proxies aren't used.
 */
import { lookup } from "node:dns";
import { Agent as HttpAgent, get as getHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, get as getHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { messageOf } from "../../files/errors/error-message.ts";
import { ToolError } from "../tool/tool-error.ts";

export type Page = {
  /** Where it was found in the end. */
  url: string;
  /** Its media type, in lower case and without parameters. */
  type: string;
  text: string;
  /** Whether it was longer than what is read of one. */
  isCut: boolean;
};

export type FetchOptions = {
  isAllowed: (address: string) => boolean;
  signal?: AbortSignal | undefined;
  maxBytes?: number;
  timeoutMs?: number;
};

const usualMaxBytes = 5 * 1024 * 1024;
const usualTimeoutMs = 30_000;
const maxRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

const textTypes =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|x-yaml|javascript|ecmascript|x-ndjson|jsonl|toml|rtf|sql))$/;

const headers = {
  "User-Agent": "cortex",
  Accept: "text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1",
  "Accept-Encoding": "gzip, deflate, br",
};

/** @throws ToolError for what can't be had, or isn't text */
export async function fetchPage(start: string, options: FetchOptions): Promise<Page> {
  const { signal: given, timeoutMs = usualTimeoutMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([given, timeout]) : timeout;
  let url = urlOf(start);
  try {
    for (let count = 0; count <= maxRedirects; count++) {
      const response = await request(url, options.isAllowed, signal);
      const { statusCode = 0, headers: answered } = response;
      if (redirects.includes(statusCode) && answered.location !== undefined) {
        response.destroy();
        url = urlOf(answered.location, url);
        continue;
      }
      if (statusCode < 200 || statusCode > 299) {
        response.destroy();
        throw new ToolError(`${shown(url)} answered ${statusCode} ${response.statusMessage ?? ""}`.trimEnd());
      }
      return { url: url.href, ...(await read(response, url, options.maxBytes ?? usualMaxBytes)) };
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (timeout.aborted) throw new ToolError(`${shown(url)}: no whole answer within ${timeoutMs / 1000} s`);
    const why = messageOf(error);
    throw new ToolError(`${shown(url)} can't be fetched: ${why}`, { cause: error });
  }
  throw new ToolError(`${start} leads on more than ${maxRedirects} times: it may lead in a circle`);
}

function urlOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new ToolError(`"${text.slice(0, 200)}" is not an address of a page`);
  const url = new URL(text, base?.href);
  const from = base ? `${shown(base)} leads to ` : "";
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ToolError(`${from}"${shown(url)}": expected http:// or https://`);
  if (url.username !== "" || url.password !== "")
    throw new ToolError(`${from}an address with a name or password in it: these aren't sent`);
  return url;
}

async function request(url: URL, isAllowed: FetchOptions["isAllowed"], signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // What is an address already isn't looked up.
  if (isIP(host) !== 0 && !isAllowed(host)) throw refused(host);
  const isSafe = url.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // An agent of its own knows no proxy, and no connection that was checked for another.
  const options = { headers, signal, lookup: checkedLookup(isAllowed) };
  const asked = isSafe
    ? getHttps(url, { ...options, agent: new HttpsAgent({ keepAlive: false }) }, resolve)
    : getHttp(url, { ...options, agent: new HttpAgent({ keepAlive: false }) }, resolve);
  asked.on("error", reject);
  return await promise;
}

/**
 * Looks an address up and checks it, at the moment of the connection: exactly the address that is returned is connected
 * to.
 */
function checkedLookup(isAllowed: FetchOptions["isAllowed"]): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const [first, ...others] = addresses.filter(({ address }) => isAllowed(address));
      if (!first) callback(refused(hostname), "", 0);
      else if (options.all) callback(null, [first, ...others]);
      else callback(null, first.address, first.family);
    });
  };
}

const refused = (host: string) =>
  new ToolError(`"${host}" is in this machine's own network, or in none: only pages of the public web are fetched`);

async function read(response: IncomingMessage, url: URL, maxBytes: number): Promise<Omit<Page, "url">> {
  const [type = "", ...parameters] = (response.headers["content-type"] ?? "text/plain").toLowerCase().split(";");
  if (!textTypes.test(type.trim())) {
    response.destroy();
    throw new ToolError(`${shown(url)} is not text, but "${type.trim().slice(0, 100)}": only text can be read`);
  }
  const { bytes, isCut } = await bytesOf(decoded(response, url), maxBytes);
  const charset = /charset\s*=\s*"?([\w:.-]+)/.exec(parameters.join(";"))?.[1] ?? declared(bytes);
  return { type: type.trim(), text: decode(bytes, charset), isCut };
}

function decoded(response: IncomingMessage, url: URL): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").toLowerCase().trim();
  if (encoding === "identity" || encoding === "") return response;
  const decoders: Record<string, () => Readable & NodeJS.WritableStream> = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (!decoder) {
    response.destroy();
    throw new ToolError(`${shown(url)} is encoded as "${encoding.slice(0, 100)}", which can't be read here`);
  }
  // What ends the one, ends the other.
  response.on("error", (error) => decoder.destroy(error));
  decoder.on("close", () => response.destroy());
  return response.pipe(decoder);
}

/** Reads a body. The unpacked bytes count: a few can stand for millions. */
async function bytesOf(stream: Readable, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks), isCut: size > maxBytes };
}

/** Finds the encoding that a page of HTML or XML declares, near its begin. */
function declared(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 1024).toString("latin1").toLowerCase();
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/.exec(head)?.[1] ??
    /^<\?xml[^>]{0,100}encoding=["']([\w.-]+)/.exec(head)?.[1]
  );
}

function decode(bytes: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}

/** Shortens an address for an error: without what follows the path, which may hold a secret. */
const shown = (url: URL) => `${url.origin === "null" ? url.protocol : url.origin}${url.pathname}`.slice(0, 300);

/**
 * The way out of a sandbox without a network: a proxy for HTTP and CONNECT, outside, on the one stream that leads in. It
 * connects to what the rules allow, at an address that it has checked, and to nothing else.
 */
import { createServer as createHttp, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2, type ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { messageOf } from "../../files/errors/error-message.ts";
import { signalPath } from "./forwarder.ts";
import {
  bareHost,
  checkedAddresses,
  DeniedError,
  type NetworkRules,
  type Target,
  targetOf,
} from "./checked-address.ts";
import type { KeyMask } from "./key-mask.ts";

/**
 * Connections of a command, at once. The forwarder has fewer, and lets others wait: here those count that have just
 * ended.
 */
const maxConnections = 256;
const connectMs = 10_000;
/** Milliseconds after which a connection ends on which nothing comes or goes. */
const idleMs = 10 * 60_000;

/** Headers of one connection, which aren't handed on. */
const ownHeaders = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Tells those inside to stop: no signal from outside reaches them. */
export type SandboxDoor = { signal: (name: NodeJS.Signals) => void };

/**
 * Serves what comes out of a sandbox, until its stream ends.
 * @param channel the other end of the forwarder's descriptor: an HTTP/2 connection, each stream of which is a connection
 * @param mask the keys that are put in the place of stand-ins on the way
 */
export function serveNetwork(channel: Duplex, rules: NetworkRules, mask: KeyMask | null): SandboxDoor {
  const proxy = proxyFor(rules, mask, null);
  const signals = Promise.withResolvers<ServerHttp2Stream>();
  const server = createHttp2({ settings: { maxConcurrentStreams: maxConnections } });
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "/" }) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
    // HTTP writes its head as Latin-1 text, together with bytes, which a stream of HTTP/2 mixes up: it gets bytes alone.
    if (path === "/") proxy.emit("connection", Duplex.from({ readable: stream, writable: stream }));
    else if (path === signalPath) signals.resolve(stream);
    else void pass(path.slice(1), stream, rules);
  });
  // A command may break its own way out, and nothing else.
  server.on("sessionError", () => {});
  channel.on("error", () => {});
  server.emit("connection", channel);
  return {
    signal: (name) => void signals.promise.then((stream) => stream.writable && stream.write(name)),
  };
}

/** @param password what a client has to send in `Proxy-Authorization`; null: nobody else gets here */
export function proxyFor(rules: NetworkRules, mask: KeyMask | null, password: string | null): Server {
  const server = createHttp({ requestTimeout: 0 });
  const isLetIn = ({ headers }: IncomingMessage) => password === null || headers["proxy-authorization"] === password;
  server.on("request", (asked: IncomingMessage, answer: ServerResponse) => {
    if (isLetIn(asked)) return void forward(asked, answer, rules);
    answer.writeHead(407, { "Proxy-Authenticate": "Basic", Connection: "close" }).end();
  });
  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    if (isLetIn(asked)) return void tunnel(asked, client, head, { rules, mask });
    client.on("error", () => {});
    client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nConnection: close\r\n\r\n");
  });
  server.on("clientError", (_, client: Duplex) => client.destroy());
  return server;
}

/** CONNECT: whatever is spoken over it. */
async function tunnel(
  asked: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { rules, mask }: { rules: NetworkRules; mask: KeyMask | null },
) {
  client.on("error", () => {});
  try {
    const target = targetOf(asked.url ?? "");
    if (target && mask?.isFor(target)) {
      await checkedAddresses(target, rules);
      return mask.take(asked, client, head, target, rules);
    }
    const upstream = await connected(target, rules);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    upstream.write(head);
    join(client, upstream);
  } catch (error) {
    const { status, text } = refusal(error);
    const phrase = status === 403 ? 'Not in "network" of cortex.json' : "Bad Gateway";
    client.end(
      `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  }
}

/** A port of the sandbox's own that leads to one outside, as if that were there. */
async function pass(authority: string, client: Duplex, rules: NetworkRules): Promise<void> {
  try {
    join(client, await connected(targetOf(decodeURIComponent(authority)), rules));
  } catch {
    client.destroy();
  }
}

/** Plain HTTP. */
async function forward(asked: IncomingMessage, answer: ServerResponse, rules: NetworkRules): Promise<void> {
  asked.on("error", () => {});
  answer.on("error", () => {});
  try {
    const url = plainUrl(asked.url);
    const socket = await connected({ host: bareHost(url.hostname), port: Number(url.port || 80) }, rules);
    const headers = { ...handedOn(asked.headersDistinct), host: url.host, connection: "close" };
    const upstream = request({
      createConnection: () => socket,
      method: asked.method,
      path: url.pathname + url.search,
      headers,
    });
    upstream.on("error", (error) => refuse(answer, error));
    upstream.on("response", (response) => handBack(response, answer));
    answer.once("close", () => upstream.destroy());
    asked.pipe(upstream);
  } catch (error) {
    refuse(answer, error);
  }
}

/** Its phrase isn't handed on, in which a server may say what Node refuses to; of its headers, one that Node refuses is a failed answer. */
function handBack(response: IncomingMessage, answer: ServerResponse): void {
  response.on("error", () => answer.destroy());
  try {
    answer.writeHead(response.statusCode ?? 502, handedOn(response.headersDistinct));
    response.pipe(answer);
  } catch (error) {
    response.destroy();
    refuse(answer, error);
  }
}

function plainUrl(text = ""): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "http:") return url;
  throw new DeniedError("this proxy takes http:// addresses and CONNECT");
}

function handedOn(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const named = (headers["connection"] ?? []).flatMap((line) => line.toLowerCase().split(/[\s,]+/));
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.test(name) && !named.includes(name));
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values]));
}

function refuse(answer: ServerResponse, error: unknown): void {
  if (answer.headersSent) return void answer.destroy();
  const { status, text } = refusal(error);
  answer.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" }).end(text);
}

function refusal(error: unknown): { status: number; text: string } {
  if (error instanceof DeniedError) return { status: 403, text: `cortex: ${error.message}\n` };
  return { status: 502, text: `cortex: it can't be reached: ${messageOf(error)}\n` };
}

/** @throws DeniedError, and Error when nobody answers there */
async function connected(target: Target | null, rules: NetworkRules): Promise<Socket> {
  if (!target) throw new DeniedError("expected a host and a port");
  let last: unknown;
  for (const address of await checkedAddresses(target, rules))
    try {
      return await connectedTo(address, target.port);
    } catch (error) {
      last = error;
    }
  throw last;
}

async function connectedTo(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error(`no answer within ${connectMs / 1000} s`)), connectMs);
  socket.once("connect", resolve).once("error", reject);
  try {
    await promise;
    return socket.setTimeout(idleMs, () => socket.destroy());
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Joins two connections: the end of the one is the end of the other. */
function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on("error", () => other.destroy());
    one.once("close", () => other.destroy());
  }
}

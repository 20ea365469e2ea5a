/** A request to a provider, and the beginning of its answer. Sent once: a client that may repeat it does so itself. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { dropClosed, ownConnections } from "../../proc/http/connections.ts";

/** Where nobody answers at all. */
const connectMs = 10_000;
/** After so long without a byte a call is given up. Longer than any model thinks without a word. */
export const usualIdleMs = 10 * 60_000;

export type UpstreamRequest = {
  url: URL;
  method: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** How long nothing may come or go. */
  idleMs: number;
};

/** Nobody has taken the request: it has cost nothing. */
export class NotReachedError extends Error {
  override name = "NotReachedError";
}

/** @throws NotReachedError, Error when it broke off, or was aborted */
export async function sendUpstream(
  { url, method, headers, body, idleMs }: UpstreamRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const connections = ownConnections(url);
  await dropClosed(connections);
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body.length > 0 || method === "POST" ? { "content-length": String(body.length) } : {};
  const asked = connections.request(url, {
    method,
    headers: { ...headers, ...length },
    agent: connections.agent,
    signal,
  });
  let isConnected = false;
  const late = setTimeout(() => asked.destroy(new Error(`no connection within ${connectMs / 1000} s`)), connectMs);
  const connected = () => {
    isConnected = true;
    clearTimeout(late);
  };
  asked.once("socket", (socket: Socket & { secureConnecting?: boolean }) => {
    if (socket.secureConnecting) socket.once("secureConnect", connected);
    else if (socket.connecting) socket.once("connect", connected);
    else connected();
  });
  asked.setTimeout(idleMs, () => asked.destroy(new Error("nothing came or went for too long")));
  asked.once("response", resolve);
  asked.once("close", () => clearTimeout(late));
  asked.on("error", (error) => reject(isConnected ? error : new NotReachedError(error.message, { cause: error })));
  asked.end(body);
  return promise;
}

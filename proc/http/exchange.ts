/** One request, and the beginning of its answer. Sent once: whoever knows whether it may be repeated does that. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { bodyStream, readOut } from "./body-stream.ts";
import { type Connections, dropClosed } from "./connections.ts";

export type HttpRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  signal: AbortSignal | undefined;
};

/** `body`: null where the answer can't have one. */
export type HttpAnswer = { message: IncomingMessage; body: ReadableStream<Uint8Array> | null };

/** Where nobody answers at all: what the platform's `fetch` waits. An answer may take as long as it likes. */
const connectMs = 10_000;

const withoutBody = [204, 205, 304];

/**
 * @throws TypeError "fetch failed" for what went wrong before the answer's headers had come, with its cause; the signal's
 * reason once it is aborted. The body fails likewise, with "terminated".
 */
export async function exchange(outgoing: HttpRequest, connections: Connections): Promise<HttpAnswer> {
  const { url, method, headers, body, signal } = outgoing;
  await dropClosed(connections);
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = connections.request(url, { method, headers, agent: connections.agent });
  let failure: unknown;
  let message: IncomingMessage | undefined;
  const fail = (error: unknown) => {
    failure ??= error;
    reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: failure }));
  };
  const stop = (reason: unknown) => {
    fail(reason);
    message?.destroy();
    request.destroy();
  };
  const abort = () => stop(signal?.reason);
  const leave = () => signal?.removeEventListener("abort", abort);
  signal?.addEventListener("abort", abort, { once: true });
  limitConnecting(request, url, stop);
  request.on("response", (answer) => {
    message = answer.on("close", leave);
    resolve(answer);
  });
  // It may come after the answer's beginning as well: what follows can't be parsed, or the connection breaks.
  request.on("error", (error) => fail(withoutPacket(error)));
  request.on("close", () => {
    if (message) return;
    leave();
    fail(new Error("the connection was closed before an answer came"));
  });
  request.end(body);

  const answer = await promise;
  if (method === "HEAD" || withoutBody.includes(answer.statusCode ?? 0)) {
    await readOut(answer.on("error", () => {}));
    return { message: answer, body: null };
  }
  const failureOf = (error: Error | undefined) =>
    signal?.aborted ? signal.reason : new TypeError("terminated", { cause: failure ?? error });
  return { message: answer, body: bodyStream(answer, failureOf) };
}

/** Gives up when there is no connection in time, with TLS where it has that. */
function limitConnecting(request: ClientRequest, url: URL, stop: (reason: Error) => void): void {
  const late = () =>
    stop(Object.assign(new Error(`no connection to ${url.host} within ${connectMs / 1000} s`), { code: "ETIMEDOUT" }));
  const timer = setTimeout(late, connectMs);
  const there = () => clearTimeout(timer);
  request.on("socket", (socket: Socket & { secureConnecting?: boolean }) => {
    if (socket.secureConnecting) socket.once("secureConnect", there);
    else if (socket.connecting) socket.once("connect", there);
    else there();
  });
  request.on("close", there);
}

/** A parser's error brings along all that it had read, whatever that is. */
function withoutPacket(error: Error): Error {
  Reflect.deleteProperty(error, "rawPacket");
  return error;
}

/** Requests and answers of Node's HTTP server in the web's own types, which the SDK speaks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A request without its body, which has been read. @param signal aborted when nobody waits for the answer any more */
export function webRequestOf(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(request.headersDistinct))
    for (const value of values) headers.append(name, value);
  return new Request(`http://${request.headers.host}${request.url}`, { method: "POST", headers, signal });
}

/** Sends an answer: whole where it is one piece, and as it comes where it is a stream. */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  // A client that hung up is told nothing.
  if (response.destroyed) return await answer.body?.cancel();
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body || !answer.headers.get("content-type")?.startsWith("text/event-stream"))
    return void response.end(Buffer.from(await answer.arrayBuffer()));
  response.flushHeaders();
  // Whichever side broke off, nobody is left to be told.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
}

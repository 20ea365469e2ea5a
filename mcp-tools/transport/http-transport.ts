/** MCP over HTTP to a server that runs elsewhere. The SDK's transport, with bounded answers, and an end to waiting for one that broke off. */
import type { Transport } from "@modelcontextprotocol/client";
import { isJSONRPCErrorResponse, isJSONRPCResultResponse, type RequestId } from "@modelcontextprotocol/server";
import { cutDepth } from "../../protocol/json/cut-depth.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** Bytes of one answer. The longest line that a program may send is as long. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** A stream that has ended may still be on its way through the SDK's parsers, in ms. */
const parseGraceMs = 500;

/** A courtesy, so that the server need not keep the session; one that doesn't answer isn't waited for. */
const goodbyeMs = 1_000;

/** Headers go to that address only: the SDK follows no redirect to another origin. */
export async function httpTransport(url: string, headers: Record<string, string>): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const waiting = new Set<RequestId>();
  const sdk = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (init?.method !== "POST" || !response.body || !response.ok) return response;
      const id = idOf(init.body);
      if (id === undefined) return response;
      waiting.add(id);
      const lost = () => {
        if (!waiting.delete(id)) return;
        const error = { code: -32_000, message: "the connection broke off before it answered" };
        transport.onmessage?.({ jsonrpc: "2.0", id, error });
      };
      return new Response(ReadableStream.from(watched(response.body, lost)), response);
    },
  });
  const transport: Transport = sdk;
  transport.onmessage = (message) => {
    // The SDK has read it, and hands this object on to who waits for it.
    Object.assign(message, cutDepth(message));
    if (isJSONRPCResultResponse(message)) waiting.delete(message.id);
    else if (isJSONRPCErrorResponse(message) && message.id !== undefined) waiting.delete(message.id);
  };
  const close = sdk.close.bind(sdk);
  transport.close = async () => {
    const said = sdk.terminateSession().catch(() => {});
    await Promise.race([said, new Promise((resolve) => setTimeout(resolve, goodbyeMs).unref())]);
    await close();
  };
  return transport;
}

function idOf(body: RequestInit["body"]): RequestId | undefined {
  const message = parseOwnJson(typeof body === "string" ? body : "{}") as { id?: RequestId; method?: string };
  return message.method === undefined ? undefined : message.id;
}

async function* watched(body: ReadableStream<Uint8Array>, lost: () => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let isResumable = false;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) throw new Error(`the answer is longer than ${maxAnswerBytes} bytes`);
      // The SDK asks for the rest of a stream of events that have ids.
      isResumable ||= /(^|\n)id:/.test(Buffer.from(chunk).toString("latin1"));
      yield chunk;
    }
  } finally {
    if (!isResumable || bytes > maxAnswerBytes) setTimeout(lost, parseGraceMs).unref();
  }
}

/** One message to the running server, wherever it is by then, and what comes back. */
import { request, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isSpecType, type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { createParser } from "eventsource-parser";
import { hasCode } from "../../files/errors/errno.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { commandsToken } from "../../journal/access/tokens.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { tryParseOwnJson, parseOwnJson } from "../../protocol/json/parse-json.ts";
import { statelessHeaders } from "./stateless-requests.ts";

/** To which server a client talks, and what goes along with each of its messages once it has introduced itself. */
export type Conversation = { journal: string; tools: string | undefined; headers: Record<string, string> };

/**
 * Milliseconds for which a message waits for a server that isn't there: starting everything takes less. Clients give up
 * after a minute.
 */
const patienceMs = 20_000;
const lookEveryMs = 200;

/** Sends a message and yields what comes back. @param signal aborted when nobody waits for it any more */
export async function* exchange(
  conversation: Conversation,
  message: JSONRPCMessage,
  signal?: AbortSignal,
): AsyncGenerator<JSONRPCMessage> {
  const response = await deliver(conversation, message, signal);
  const sessionId = response.headers["mcp-session-id"];
  if (typeof sessionId === "string") conversation.headers["mcp-session-id"] = sessionId;
  try {
    if (response.headers["content-type"]?.startsWith("text/event-stream")) return yield* eventsOf(response);
    const text = await textOf(response);
    if (response.statusCode !== 202) yield answerIn(text, response.statusCode);
  } catch (error) {
    throw isOfNetwork(error) ? new Error(lostMessage(message), { cause: error }) : error;
  }
}

function answerIn(text: string, status: number | undefined): JSONRPCMessage {
  const body = tryParseOwnJson(text);
  // What the protocol itself refuses comes with a status of its own.
  if (isSpecType.JSONRPCMessage(body) && (status === 200 || "error" in body)) return body;
  const error = isRecord(body) ? body["error"] : undefined;
  const why = isRecord(error) ? error["message"] : error;
  throw new Error(`the server answered ${status}: ${typeof why === "string" ? why : text.slice(0, 200)}`);
}

/** Waits for the server, wherever it is by then. A call that may have been received is not sent again. */
async function deliver(
  { journal, tools, headers: ofSession }: Conversation,
  message: JSONRPCMessage,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const headers = statelessHeaders(message) ?? ofSession;
  for (const deadline = performance.now() + patienceMs; ; await delay(lookEveryMs, undefined, { signal })) {
    const address = readEndpoints(journal)?.mcp_url;
    if (address !== undefined) {
      const url = new URL(address);
      if (tools !== undefined) url.searchParams.set("tools", tools);
      const token = await commandsToken(journal);
      try {
        return await post(url, { ...headers, authorization: `Bearer ${token}` }, message, signal);
      } catch (error) {
        const mayHaveArrived = !hasCode(error, "ECONNREFUSED");
        if (mayHaveArrived && isCall(message)) throw new Error(lostMessage(message), { cause: error });
      }
    }
    if (performance.now() > deadline)
      throw new Error(`no cortex runs on the journal ${journal}: start it with "cortex up", then try again`);
  }
}

const isCall = (message: JSONRPCMessage) => "method" in message && message.method === "tools/call";

export const lostMessage = (message: JSONRPCMessage) =>
  isCall(message)
    ? "the server went away during the call, which may or may not have been carried out"
    : "the server went away before it answered: ask again";

const isOfNetwork = (error: unknown) => error instanceof Error && "code" in error;

function post(
  url: URL,
  headers: Record<string, string>,
  message: JSONRPCMessage,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const accept = "application/json, text/event-stream";
  // A connection of its own for each: of a kept one nobody knows whether the server has just closed it.
  const sent = { ...headers, accept, "content-type": "application/json" };
  const options = { method: "POST", agent: false, headers: sent, signal };
  request(url, options, resolve).once("error", reject).end(JSON.stringify(message));
  return promise;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** The messages of a stream of server-sent events. */
async function* eventsOf(response: IncomingMessage): AsyncGenerator<JSONRPCMessage> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
  response.setEncoding("utf8");
  for await (const part of response) {
    parser.feed(String(part));
    for (const data of events.splice(0)) yield parseJSONRPCMessage(parseOwnJson(data));
  }
}

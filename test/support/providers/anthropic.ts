/** Plays Anthropic's Messages API: streams what it is told to, and refuses what the real one would. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTick } from "node:timers/promises";
import { markedPrefixes, refusalOf, sealed, searchesIn } from "./anthropic-rules.ts";
import {
  type Play,
  type PlayedRequest,
  type PlayedServer,
  type PlayedTurn,
  playedUsage,
  type Reply,
} from "./played.ts";
import { keptConnections } from "../network/kept-connections.ts";

export type PlayedAnthropic = PlayedServer & {
  /** Resolves when a client has left in the middle of an answer. */
  left: Promise<void>;
};

type Options = {
  /** Tells the tokens that a cache of prefixes would have had, rather than the usual ones. */
  hasCache?: boolean;
  /** The answer to a request, where no script says: several ask at once, in no order that a test knows. */
  answer?: (body: unknown) => Reply | Promise<Reply>;
};

type Usage = { input_tokens: number; cache_read_input_tokens: number; cache_creation_input_tokens: number };
type Event = { event: string; data: Record<string, unknown> };

/** The usage that each turn tells: the API counts what it read from its cache, and what it wrote there, apart. */
const usualUsage: Usage = {
  input_tokens: playedUsage.input - playedUsage.cached - playedUsage.cacheWrite,
  cache_read_input_tokens: playedUsage.cached,
  cache_creation_input_tokens: playedUsage.cacheWrite,
};

export const playAnthropic: Play = (replies) => startAnthropic(replies);

export async function startAnthropic(
  replies: Reply[],
  { hasCache = false, answer: decide }: Options = {},
): Promise<PlayedAnthropic> {
  const requests: PlayedRequest[] = [];
  const refusals: string[] = [];
  const waiting = [...replies];
  const cache = new Set<string>();
  const left = Promise.withResolvers<void>();

  const server = createServer(keptConnections, (request, response) => {
    response.once("close", () => void (response.writableFinished || left.resolve()));
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const request: PlayedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: body === "" ? undefined : JSON.parse(body),
    };
    requests.push(request);
    const refusal = refusalOf(request);
    if (refusal) {
      refusals.push(refusal.message);
      return say(response, refusal.status, errorBody(refusal.type, refusal.message));
    }
    const reply = decide ? await decide(request.body) : waiting.shift();
    if (!reply) return say(response, 500, errorBody("api_error", "the script has no reply left"));
    if ("status" in reply) return say(response, reply.status, reply.body, reply.headers);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    if ("silent" in reply) return;
    const model = (request.body as { model: string }).model;
    const usage = hasCache ? cachedUsage(request.body, cache) : usualUsage;
    const turn = searchesIn(request.body) ? reply.turn : { ...reply.turn, search: undefined };
    await stream(response, reply, eventsOf(turn, model, usage));
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    left: left.promise,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

/** An error as the API words it. */
export function errorBody(type: string, message: string): Record<string, unknown> {
  return { type: "error", error: { type, message }, request_id: "req_played" };
}

function say(
  response: ServerResponse,
  status: number,
  body: string | Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  const type = typeof body === "string" ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** The longest marked prefix that was marked before is read, the rest up to the last marker is written. Four characters a token. */
function cachedUsage(body: unknown, cache: Set<string>): Usage {
  const { prefixes, whole } = markedPrefixes(body);
  const tokens = (prefix = "") => Math.ceil(prefix.length / 4);
  const read = tokens(prefixes.findLast((prefix) => cache.has(prefix)));
  const marked = tokens(prefixes.at(-1));
  for (const prefix of prefixes) cache.add(prefix);
  return {
    input_tokens: tokens(whole) - marked,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: marked - read,
  };
}

/** A thought that begins so comes as a block that no one can read. */
export const redacted = "redacted:";

const stopReasons = { max_tokens: "max_tokens", refusal: "refusal", pause: "pause_turn" } as const;

type AskedTurn = Omit<PlayedTurn, "search"> & { search?: PlayedTurn["search"] | undefined };

function eventsOf({ thinking, text, calls = [], stop, search }: AskedTurn, model: string, usage: Usage): Event[] {
  const events: Event[] = [];
  const add = (type: string, fields: object) => events.push({ event: type, data: { type, ...fields } });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    add("content_block_start", { index, content_block });
    for (const delta of deltas) add("content_block_delta", { index, delta });
    add("content_block_stop", { index: index++ });
  };
  const id = `msg_${randomBytes(12).toString("hex")}`;
  const message = {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  add("message_start", { message: { ...message, usage: { ...usage, output_tokens: 1 } } });
  add("ping", {});
  if (thinking?.startsWith(redacted)) {
    block({ type: "redacted_thinking", data: sealed(model, thinking) }, []);
  } else if (thinking !== undefined) {
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(thinking, 9).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature: sealed(model, thinking) },
    ]);
  }
  if (search) {
    const id = `srvtoolu_${randomBytes(12).toString("hex")}`;
    const caller = { type: "direct" };
    block({ type: "server_tool_use", id, name: "web_search", input: {}, caller }, [
      { type: "input_json_delta", partial_json: "" },
      ...pieces(JSON.stringify({ query: search.query }), 7).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      })),
    ]);
    const content = search.pages.map(({ url, title }) => ({
      type: "web_search_result",
      url,
      title,
      encrypted_content: sealed(model, url),
      page_age: null,
    }));
    const failed = { type: "web_search_tool_result_error", error_code: "unavailable" };
    block(
      { type: "web_search_tool_result", tool_use_id: id, caller, content: content.length > 0 ? content : failed },
      [],
    );
  }
  if (text !== undefined) {
    const cited = search?.pages.slice(0, 1).map((page) => ({
      type: "citations_delta",
      citation: { type: "web_search_result_location", ...page, cited_text: "…", encrypted_index: sealed(model, "0") },
    }));
    block({ type: "text", text: "", ...(cited && { citations: [] }) }, [
      ...(cited ?? []),
      ...pieces(text, 5).map((piece) => ({ type: "text_delta", text: piece })),
    ]);
  }
  add("ping", {});
  for (const { tool, args } of calls) {
    const json = typeof args === "string" ? args : JSON.stringify(args);
    block(
      { type: "tool_use", id: `toolu_${randomBytes(12).toString("hex")}`, name: tool, input: {} },
      // The real one begins with an empty piece.
      ["", ...pieces(json, 7)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  }
  const stop_reason = stop ? stopReasons[stop] : calls.length > 0 ? "tool_use" : "end_turn";
  const stop_details =
    stop === "refusal" ? { type: "refusal", category: "general_harms", explanation: "It could do harm." } : null;
  add("message_delta", {
    delta: { stop_reason, stop_sequence: null, stop_details },
    usage: {
      ...usage,
      output_tokens: playedUsage.output,
      output_tokens_details: { thinking_tokens: playedUsage.reasoning },
      server_tool_use: search ? { web_search_requests: 1, web_fetch_requests: 0 } : null,
    },
  });
  add("message_stop", {});
  return events;
}

/** Whole characters: the API sends valid JSON. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const starts = characters.flatMap((_, at) => (at % size === 0 ? [at] : []));
  return starts.map((at) => characters.slice(at, at + size).join(""));
}

async function stream(
  response: ServerResponse,
  { pieceBytes, cut, by = "end", rest }: Extract<Reply, { turn: PlayedTurn }>,
  events: Event[],
): Promise<void> {
  const lines = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const bytes = Buffer.from(cut ? untilCut(lines, events, cut) : lines.join(""));
  const size = pieceBytes ?? (rest ? Math.ceil(bytes.length / 2) : bytes.length);
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    if (at >= bytes.length / 2) await rest;
    response.write(bytes.subarray(at, at + size));
    // Each piece on its way before the next.
    await nextTick();
  }
  if (cut && by === "reset") response.socket?.resetAndDestroy();
  else if (!cut || by === "end") response.end();
}

function untilCut(lines: string[], events: Event[], cut: "between-events" | "inside-event" | "inside-call"): string {
  const isDelta = ({ data }: Event) => data["type"] === "content_block_delta";
  const isCall = ({ data }: Event) => JSON.stringify(data).includes('"input_json_delta","partial_json":"');
  // Behind the first piece of the block, so that something has been said.
  const at = cut === "inside-call" ? events.findIndex(isCall) + 1 : events.findIndex(isDelta) + 1;
  if (at === 0) throw new Error(`the turn has nothing to cut ${cut}`);
  const whole = lines.slice(0, at).join("");
  const next = lines[at] ?? "";
  return cut === "between-events" ? whole : whole + next.slice(0, Math.floor(next.length / 2));
}

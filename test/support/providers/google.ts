/** Plays the Gemini API: streams what it is told to, and refuses what the real one would. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTick } from "node:timers/promises";
import { readArguments } from "../../../conversation/arguments.ts";
import { modelOf, refusalOf, sealed, searchOf } from "./google-rules.ts";
import {
  type Play,
  type PlayedRequest,
  type PlayedServer,
  type PlayedTurn,
  playedUsage,
  type Reply,
} from "./played.ts";
import { keptConnections } from "../network/kept-connections.ts";

export type PlayedGoogle = PlayedServer & {
  /** Resolves when a client has left in the middle of an answer. */
  left: Promise<void>;
};

type Options = {
  /** Gives each call an id, as newer models do. */
  hasIds?: boolean;
  /** Signs each call, each thought, and the last piece of text itself. */
  signsAll?: boolean;
};

type Json = Record<string, unknown>;

export const playGoogle: Play = (replies) => startGoogle(replies);

export async function startGoogle(replies: Reply[], options: Options = {}): Promise<PlayedGoogle> {
  const requests: PlayedRequest[] = [];
  const refusals: string[] = [];
  const waiting = [...replies];
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
    const { method, path } = request;
    // How large its window is, is asked beside the conversation.
    if (method === "GET" && /\/models\/[^/?]+$/.test(path))
      return say(response, 404, errorBody(404, "NOT_FOUND", "it doesn't say"));
    requests.push(request);
    const refusal = refusalOf(request);
    if (refusal) {
      refusals.push(refusal.message);
      return say(response, refusal.status, errorBody(refusal.status, refusal.name, refusal.message));
    }
    const model = modelOf(request.path);
    if (model === undefined) return say(response, 200, modelPage(request.path));
    const reply = waiting.shift();
    if (!reply) return say(response, 500, errorBody(500, "INTERNAL", "the script has no reply left"));
    if ("status" in reply) return say(response, reply.status, reply.body, reply.headers);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    if ("silent" in reply) return;
    const { hasSearch, hasParts } = searchOf(request.body);
    const turn = hasSearch ? reply.turn : { ...reply.turn, search: undefined };
    await stream(response, reply, eventsOf(turn, model, { ...options, hasParts }));
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
export function errorBody(code: number, status: string, message: string, ...details: Json[]): Json {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

/** Builds an event of the stream, where nothing else is said. */
export function eventOf(parts: Json[], candidate: Json = {}, more: Json = {}): Json {
  return { candidates: [{ content: { parts, role: "model" }, ...candidate, index: 0 }], ...more };
}

/** The body of a stream with these events. */
export function bodyOf(...events: Json[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
}

function say(
  response: ServerResponse,
  status: number,
  body: string | Json,
  headers: Record<string, string> = {},
): void {
  const type = typeof body === "string" ? "text/html" : "application/json; charset=UTF-8";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Two pages, of which one has a model that doesn't answer. */
function modelPage(path: string): Json {
  const model = (name: string, method = "generateContent") => ({
    name: `models/${name}`,
    supportedGenerationMethods: [method, "countTokens"],
  });
  if (new URL(path, "http://x").searchParams.get("pageToken") === "second")
    return { models: [model("gemini-played-pro")] };
  const models = [model("gemini-played-flash"), model("gemini-played-embedding", "embedContent")];
  return { models, nextPageToken: "second" };
}

const finishReasons = { max_tokens: "MAX_TOKENS", refusal: "SAFETY", pause: "STOP" } as const;

type AskedTurn = Omit<PlayedTurn, "search"> & { search?: PlayedTurn["search"] | undefined };

/** `hasParts`: the searches stand among the parts, as they do beside functions. */
function eventsOf(
  turn: AskedTurn,
  model: string,
  { hasIds, signsAll, hasParts }: Options & { hasParts: boolean },
): Json[] {
  const { thinking, text: said, calls = [], stop, search } = turn;
  const parts: Json[] = [];
  if (thinking !== undefined) {
    parts.push(...pieces(thinking, 9).map((piece) => ({ text: piece, thought: true })));
    if (signsAll) parts.push({ text: "", thought: true, thoughtSignature: sealed(model, "thought", thinking) });
  }
  if (search && hasParts) {
    const [toolType, id] = ["GOOGLE_SEARCH_WEB", randomBytes(4).toString("hex")];
    const thoughtSignature = sealed(model, "call", id);
    const response = { search_suggestions: "<div>…</div>" };
    parts.push({ toolCall: { toolType, args: { queries: [search.query] }, id }, thoughtSignature });
    parts.push({ toolResponse: { toolType, response, id }, thoughtSignature });
  }
  if (said !== undefined) {
    const texts: Json[] = pieces(said, 5).map((piece) => ({ text: piece }));
    const last = texts.at(-1);
    if (signsAll && last) last["thoughtSignature"] = sealed(model, "text", String(last["text"]));
    parts.push(...texts);
  }
  for (const [at, { tool, args }] of calls.entries()) {
    const isSigned = at === 0 || signsAll;
    parts.push({
      functionCall: { ...(hasIds && { id: `fc_${at}` }), name: tool, args: readArguments(args) ?? args },
      ...(isSigned && { thoughtSignature: sealed(model, "call", tool) }),
    });
  }
  // Where nothing is called, the signature of the whole comes with the end.
  const isAnswer = said !== undefined && calls.length === 0 && !signsAll;
  const last = isAnswer ? [{ text: "", thoughtSignature: sealed(model, "text", said) }] : [];
  const about = { modelVersion: model, responseId: "played" };
  const { input: promptTokenCount, cached: cachedContentTokenCount, output, reasoning } = playedUsage;
  const asked = { promptTokenCount, cachedContentTokenCount };
  const usageMetadata = {
    ...asked,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: promptTokenCount + output,
  };
  const groundingMetadata = search && {
    webSearchQueries: [search.query],
    searchEntryPoint: { renderedContent: "<div>…</div>" },
    groundingChunks: search.pages.map(({ url, title }) => ({ web: { uri: url, title } })),
    groundingSupports: [{ segment: { endIndex: 1, text: "…" }, groundingChunkIndices: [0] }],
  };
  const finish = {
    ...(groundingMetadata && { groundingMetadata }),
    finishReason: stop ? finishReasons[stop] : "STOP",
    ...(stop === "refusal" && {
      safetyRatings: [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", probability: "HIGH", blocked: true }],
    }),
  };
  return [
    ...parts.map((part) => eventOf([part], {}, { usageMetadata: asked, ...about })),
    eventOf(last, finish, { usageMetadata, ...about }),
  ];
}

/** Whole characters: the API sends valid JSON. */
function pieces(whole: string, size: number): string[] {
  const characters = Array.from(whole);
  const starts = characters.flatMap((_, at) => (at % size === 0 ? [at] : []));
  return starts.map((at) => characters.slice(at, at + size).join(""));
}

async function stream(
  response: ServerResponse,
  { pieceBytes, cut, by = "end" }: Extract<Reply, { turn: PlayedTurn }>,
  events: Json[],
): Promise<void> {
  const bytes = Buffer.from(cut ? untilCut(events, cut) : bodyOf(...events));
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes ?? bytes.length) {
    response.write(bytes.subarray(at, at + (pieceBytes ?? bytes.length)));
    // Each piece on its way before the next.
    await nextTick();
  }
  if (cut && by === "reset") response.socket?.resetAndDestroy();
  else if (!cut || by === "end") response.end();
}

function untilCut(events: Json[], cut: "between-events" | "inside-event" | "inside-call"): string {
  const isCall = (event: Json) => JSON.stringify(event).includes('"functionCall"');
  // Behind the first event, so that something has been said; a call comes whole, in one event.
  const at = cut === "inside-call" ? events.findIndex(isCall) : 1;
  const next = events[at];
  if (!next) throw new Error(`the turn has nothing to cut ${cut}`);
  const whole = bodyOf(...events.slice(0, at));
  const half = bodyOf(next);
  return cut === "between-events" ? whole : whole + half.slice(0, Math.floor(half.length / 2));
}

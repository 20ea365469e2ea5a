/** A local server that streams what it is told to as server-sent events, in pieces and cut where a test wants it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTick } from "node:timers/promises";
import type { PlayedRequest, PlayedServer, PlayedTurn, Reply } from "./played.ts";
import { keptConnections } from "../network/kept-connections.ts";

/** `part`: what it is a piece of, so that the stream can be cut there. */
export type Frame = { lines: string; part?: "text" | "call" };

export type Refusal = { status: number; body: Record<string, unknown>; message: string };

export type Rules = {
  /** Below the host, in the base URL. */
  basePath: string;
  /** Finds the refusal that the real one would give. */
  refusalOf(request: PlayedRequest): Refusal | undefined;
  /** A turn in the provider's own format. */
  frames(turn: PlayedTurn, request: PlayedRequest): Frame[];
};

export type EventServer = PlayedServer & {
  /** Resolves when a client has left in the middle of an answer. */
  left: Promise<void>;
};

export async function startEventServer(replies: Reply[], rules: Rules): Promise<EventServer> {
  const requests: PlayedRequest[] = [];
  const refusals: string[] = [];
  const waiting = [...replies];
  const left = Promise.withResolvers<void>();

  const server = createServer(keptConnections, (request, response) => {
    response.once("close", () => void (response.writableFinished || left.resolve()));
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await requestOf(incoming);
    if (isWindowAsked(request) && waiting.some((reply) => "turn" in reply))
      return say(response, 404, { error: { message: "it doesn't say how large its window is" } });
    requests.push(request);
    const refusal = rules.refusalOf(request);
    if (refusal) {
      refusals.push(refusal.message);
      return say(response, refusal.status, refusal.body);
    }
    const reply = waiting.shift();
    if (!reply) return say(response, 500, { error: { message: "the script has no reply left", type: "server_error" } });
    if ("status" in reply) return say(response, reply.status, reply.body, reply.headers);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    if (!("silent" in reply)) await stream(response, reply, rules.frames(reply.turn, request));
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${rules.basePath}`,
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

/** How large the window of a model is, is asked beside the conversation. */
const isWindowAsked = ({ method, path }: PlayedRequest) =>
  path === "/api/show" || (method === "GET" && path.endsWith("/models"));

async function requestOf(incoming: IncomingMessage): Promise<PlayedRequest> {
  const body = await text(incoming);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: body === "" ? undefined : JSON.parse(body),
  };
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

async function stream(
  response: ServerResponse,
  { pieceBytes, cut, by = "end" }: Extract<Reply, { turn: PlayedTurn }>,
  frames: Frame[],
): Promise<void> {
  const bytes = Buffer.from(cut ? untilCut(frames, cut) : frames.map(({ lines }) => lines).join(""));
  const size = pieceBytes ?? bytes.length;
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    // Each piece on its way before the next.
    await nextTick();
  }
  if (cut && by === "reset") response.socket?.resetAndDestroy();
  else if (!cut || by === "end") response.end();
}

/** Behind the first piece of text, or of a call, so that something has been said. */
function untilCut(frames: Frame[], cut: "between-events" | "inside-event" | "inside-call"): string {
  const at = frames.findIndex(({ part }) => (cut === "inside-call" ? part === "call" : part !== undefined)) + 1;
  if (at === 0) throw new Error(`the turn has nothing to cut ${cut}`);
  const whole = frames
    .slice(0, at)
    .map(({ lines }) => lines)
    .join("");
  const next = frames[at]?.lines ?? "";
  return cut === "between-events" ? whole : whole + next.slice(0, Math.floor(next.length / 2));
}

/** Whole characters: no server splits one inside of a JSON text. */
export function pieces(whole: string, size: number): string[] {
  const characters = Array.from(whole);
  const starts = characters.flatMap((_, at) => (at % size === 0 ? [at] : []));
  return starts.map((at) => characters.slice(at, at + size).join(""));
}

/**
 * Plays the Messages API for Claude Code's own program. Its prompts and tools are its own affair; what the real API refuses about
 * the conversation is refused here too.
 */
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type PlayedRequest, type PlayedServer, type PlayedTurn, playedUsage, type Reply } from "./played.ts";
import { keptConnections } from "../network/kept-connections.ts";

/** `after`: what to wait for before the answer begins. */
export type ClaudeReply = Reply & { after?: Promise<unknown> };

type Block = { type: string; id?: string; tool_use_id?: string; thinking?: string; signature?: string };
type Body = {
  model?: string;
  max_tokens?: number;
  stream?: boolean;
  messages?: { role: string; content: string | Block[] }[];
};

export async function playClaudeApi(replies: ClaudeReply[]): Promise<PlayedServer> {
  const requests: PlayedRequest[] = [];
  const refusals: string[] = [];
  const secret = randomBytes(16);
  const sign = (thinking: string) => createHmac("sha256", secret).update(thinking).digest("base64");
  const rest = [...replies];

  const server = createServer(keptConnections, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      const text = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const body: Body | undefined = text === "" ? undefined : JSON.parse(text);
      requests.push({ method: request.method ?? "", path, headers, body });
      if (path !== "/v1/messages") return fail(response, 404, "not_found_error", `no ${path}`);
      const refusal = refusalOf(headers, body ?? {}, sign);
      if (refusal) {
        refusals.push(refusal);
        return fail(response, 400, "invalid_request_error", refusal);
      }
      const reply = rest.shift();
      if (!reply) return fail(response, 500, "api_error", `the script has no reply ${requests.length}`);
      void Promise.resolve(reply.after).then(() => answer(response, reply, body ?? {}, requests.length, sign));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function refusalOf(
  headers: Record<string, string>,
  body: Body,
  sign: (thinking: string) => string,
): string | undefined {
  if (!headers["x-api-key"] && !headers["authorization"]) return "no key";
  if (!headers["anthropic-version"]) return "anthropic-version: header is required";
  if (!body.model || !body.max_tokens) return "model, max_tokens: Field required";
  const messages = body.messages ?? [];
  if (messages[0]?.role !== "user") return "messages: first message must be from the user";
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks: Block[] = typeof content === "string" ? [{ type: "text" }] : content;
    const of = (type: string) => blocks.filter((block) => block.type === type);
    const results = of("tool_result").map((block) => block.tool_use_id ?? "");
    if (open.some((id) => !results.includes(id)))
      return `messages.${at}: tool_use ids were found without tool_result blocks`;
    if (results.some((id) => !open.includes(id))) return `messages.${at}: unexpected tool_use_id in tool_result blocks`;
    if (of("thinking").some((block) => block.signature !== sign(block.thinking ?? "")))
      return `messages.${at}: Invalid signature in thinking block`;
    open = role === "assistant" ? of("tool_use").map((block) => block.id ?? "") : [];
  }
  return open.length > 0 ? "the last tool_use has no tool_result" : undefined;
}

function answer(
  response: ServerResponse,
  reply: ClaudeReply,
  body: Body,
  number: number,
  sign: (thinking: string) => string,
): void {
  if ("silent" in reply) {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  } else if ("status" in reply) {
    const isText = typeof reply.body === "string";
    response.writeHead(reply.status, { "content-type": isText ? "text/html" : "application/json", ...reply.headers });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  } else {
    const events = eventsOf(reply.turn, body.model ?? "", number, sign);
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${number}` });
    const isWhole = reply.cut === undefined;
    for (const event of isWhole ? events : events.slice(0, -3))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (isWhole || reply.by !== "reset") response.end();
    // What was written is read before the connection is gone.
    else setTimeout(() => response.destroy(), 50);
  }
}

type StreamEvent = { type: string; [field: string]: unknown };

function eventsOf(turn: PlayedTurn, model: string, number: number, sign: (thinking: string) => string): StreamEvent[] {
  const { input, cached, cacheWrite, output, reasoning } = playedUsage;
  const counted = {
    input_tokens: input - cached - cacheWrite,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cacheWrite,
  };
  const blocks: { start: object; deltas: object[] }[] = [];
  const { thinking, text, calls = [] } = turn;
  if (thinking !== undefined)
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking },
        { type: "signature_delta", signature: sign(thinking) },
      ],
    });
  if (text !== undefined)
    blocks.push({
      start: { type: "text", text: "" },
      deltas: [...text.matchAll(/.{1,8}/gsu)].map(([piece]) => ({ type: "text_delta", text: piece })),
    });
  for (const [at, { tool, args }] of calls.entries())
    blocks.push({
      start: { type: "tool_use", id: `toolu_${number}_${at}`, name: tool, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: typeof args === "string" ? args : JSON.stringify(args) }],
    });
  const stops = { max_tokens: "max_tokens", refusal: "refusal", pause: "pause_turn" };
  const stop_reason = turn.stop ? stops[turn.stop] : calls.length > 0 ? "tool_use" : "end_turn";
  const details = { output_tokens_details: { thinking_tokens: reasoning } };
  return [
    {
      type: "message_start",
      message: {
        id: `msg_${number}`,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...counted, output_tokens: 1 },
      },
    },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "ping" },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: output, ...details },
    },
    { type: "message_stop" },
  ];
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type, message } }));
}

/** OpenAI's Responses API as a provider. */
import { APIError } from "openai";
import { costUsd } from "../../provider/prices.ts";
import type { CallUsage, Chunk, ModelCall, Provider } from "../../provider/provider.ts";
import { clientOf } from "../endpoint/client.ts";
import { sendSupported } from "../endpoint/unsupported-parameters.ts";
import { contextWindowAt } from "../endpoint/context-window.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { failedInStream, failureOf, streamFailures } from "../endpoint/failures.ts";
import { type EndedResponse, type MessagePart, type ReasoningItem, readEvent, readItem } from "./events.ts";
import {
  isReasoningItem,
  reasoningIds,
  type ResponsesRequest,
  unsupportedInResponses,
  responsesRequest,
  withoutReasoning,
} from "./request.ts";
import { searched } from "./search-items.ts";
import { sourceOf } from "../../provider/sources.ts";
import { streamDone, serverEvents } from "../../provider/server-events.ts";
import { ToolNames } from "../endpoint/wire-tools.ts";
import { builtInBackends } from "../../../protocol/settings/backends.ts";

export function responses(endpoint: Endpoint, defaultModel: string): Provider {
  const client = clientOf(endpoint);
  /** Reasoning that another key or server encrypted, by its id. */
  const unreadable = new Set<string>();
  /** Models without a search of their own. */
  const searchless = new Set<string>();
  const isOwn = endpoint.seller === "openai";

  async function send(call: ModelCall, signal: AbortSignal): Promise<Response> {
    // Other servers of this API have no search, and some pass an unknown tool over in silence.
    const maySearch = call.search === true && isOwn && !searchless.has(call.model);
    const whole = responsesRequest(call, { hasPhases: isOwn, maySearch });
    const request = withoutReasoning(whole, unreadable);
    const post = (body: ResponsesRequest) => client.responses.create(body, { signal }).asResponse();
    try {
      return await sendSupported(`responses ${endpoint.baseUrl} ${call.model}`, unsupportedInResponses, request, post);
    } catch (error) {
      if (maySearch && isSearchRefused(error)) {
        searchless.add(call.model);
        return send(call, signal);
      }
      const ids = reasoningIds(request);
      if (!isUnreadable(error) || ids.length === 0) throw failureOf(error, endpoint);
      // Which one it is isn't said. A conversation goes on without its old reasoning; one that is refused is lost for ever.
      for (const id of ids) unreadable.add(id);
      return send(call, signal);
    }
  }

  return {
    name: endpoint.backend,
    defaultModel,
    isLocal: endpoint.seller === null,
    ...(endpoint.seller === "openai" && { summaryModel: builtInBackends.openai.cheap }),
    ...(endpoint.seller !== "openai" && {
      contextWindow: (model: string, signal: AbortSignal) => contextWindowAt(endpoint, model, signal),
    }),
    takes: (mime) => ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"].includes(mime),
    async *stream(call, signal) {
      yield* chunksOf(serverEvents(await send(call, signal), streamFailures(endpoint)), call, endpoint);
    },
  };
}

/** "Hosted tool 'web_search' is not supported with …"; a model that thinks little may have none, either. */
function isSearchRefused(error: unknown): boolean {
  return error instanceof APIError && error.status === 400 && /web_search|hosted tool/i.test(error.message);
}

function isUnreadable(error: unknown): boolean {
  return error instanceof APIError && error.code === "invalid_encrypted_content";
}

async function* chunksOf(events: AsyncIterable<unknown>, call: ModelCall, endpoint: Endpoint): AsyncGenerator<Chunk> {
  const names = new ToolNames(call.tools.map(({ name }) => name));
  const answer = new Answer();
  for await (const data of events) {
    if (data === streamDone) return;
    const event = readEvent(data, endpoint);
    switch (event.type) {
      case "response.output_text.delta":
        yield* answer.delta(event.delta);
        break;
      case "response.output_item.done":
        yield* itemChunks(event.item, answer, names, endpoint);
        break;
      case "response.completed":
        yield* usageChunk(event.response, call, endpoint);
        yield answer.refusal === ""
          ? { type: "end", stop: "end" }
          : { type: "end", stop: "refusal", detail: answer.refusal };
        return;
      case "response.incomplete":
        yield* usageChunk(event.response, call, endpoint);
        yield cutOff(event.response.incomplete_details?.reason ?? "");
        return;
      case "response.failed":
        yield* usageChunk(event.response, call, endpoint);
        throw failedInStream(endpoint, event.response.error);
      case "error":
        throw failedInStream(endpoint, event.error);
      case "other":
        yield { type: "progress" };
        break;
      case "beginning":
    }
  }
}

function* itemChunks(data: unknown, answer: Answer, names: ToolNames, endpoint: Endpoint): Generator<Chunk> {
  const item = readItem(data, endpoint);
  if (item?.type === "message") yield* answer.whole(item.content);
  else if (item?.type === "web_search_call") yield searched(item, data);
  else if (item?.type === "reasoning") yield thinking(item, data);
  // One that isn't complete was cut off at the limit of tokens: half a call.
  else if (item?.type === "function_call" && item.status !== "incomplete")
    yield { type: "call", call_id: item.call_id, tool: names.own(item.name), args: item.arguments };
  else yield { type: "progress" };
}

/** The text of the answer, of which a server may send deltas, or none, before it sends each message whole. */
class Answer {
  refusal = "";
  #hasMessages = false;
  /** The text so far of the message in progress. */
  #said = "";

  *delta(delta: string): Generator<Chunk> {
    if (delta === "") return;
    const isNextMessage = this.#hasMessages && this.#said === "";
    this.#said += delta;
    yield { type: "text", text: isNextMessage ? `\n\n${delta}` : delta };
  }

  *whole(parts: MessagePart[]): Generator<Chunk> {
    const text = parts.map((part) => (part.type === "output_text" ? (part.text ?? "") : "")).join("");
    if (text.startsWith(this.#said)) yield* this.delta(text.slice(this.#said.length));
    this.#hasMessages ||= this.#said !== "";
    this.#said = "";
    this.refusal += parts.map((part) => part.refusal ?? "").join("");
    for (const { type, url, title } of parts.flatMap(({ annotations }) => annotations ?? []))
      if (type === "url_citation") for (const source of sourceOf(url, title)) yield { type: "source", source };
  }
}

/** `whole`: the item as it came, of which nothing may be lost. */
function thinking({ summary, content }: ReasoningItem, whole: unknown): Chunk {
  const parts = summary?.length ? summary : (content ?? []);
  const text = parts.map((part) => part.text ?? "").join("\n\n");
  return { type: "thinking", ...(text !== "" && { summary: text }), ...(isReasoningItem(whole) && { opaque: whole }) };
}

function cutOff(reason: string): Chunk {
  if (reason === "content_filter")
    return { type: "end", stop: "refusal", detail: "its content filter stopped the answer" };
  return { type: "end", stop: "max_tokens", ...(reason !== "max_output_tokens" && { detail: reason }) };
}

async function* usageChunk(
  { usage, tool_usage }: EndedResponse,
  { model }: ModelCall,
  { seller }: Endpoint,
): AsyncGenerator<Chunk> {
  if (!usage) return;
  const written = usage.input_tokens_details?.cache_write_tokens;
  const searches = tool_usage?.web_search?.num_requests;
  const counts: Omit<CallUsage, "cost_usd"> = {
    input_tokens: usage.input_tokens,
    cached_input_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
    ...(typeof written === "number" && { cache_write_input_tokens: written }),
    output_tokens: usage.output_tokens,
    reasoning_tokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
    ...(searches && { web_searches: searches }),
  };
  yield { type: "usage", usage: { ...counts, cost_usd: seller && (await costUsd(seller, model, counts)) } };
}

/** The events of a stream become chunks. Pure, but for the price list. */
import type Anthropic from "@anthropic-ai/sdk";
import { readArguments } from "../../conversation/arguments.ts";
import { costUsd } from "../provider/prices.ts";
import { type CallUsage, type Chunk, type ModelCall, ProviderError, type StopReason } from "../provider/provider.ts";
import { sourceOf } from "../provider/sources.ts";
import type { ReasoningBlock } from "./reasoning-block.ts";
import { searched } from "./search-blocks.ts";
import { toolNamed } from "./wire-tools.ts";

type Event = Anthropic.RawMessageStreamEvent;
type CallChunk = Extract<Chunk, { type: "call" }>;

/** A block that is on its way. */
type Open =
  | { type: "reasoning"; block: ReasoningBlock }
  | { type: "call"; block: Anthropic.ToolUseBlock; json: string }
  | { type: "search"; block: Anthropic.ServerToolUseBlock; json: string };

/** Why the API stops, `window` being a full context. */
const stops: Record<Anthropic.StopReason, StopReason | "window"> = {
  end_turn: "end",
  tool_use: "end",
  // None are asked for.
  stop_sequence: "end",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "window",
  pause_turn: "pause",
  refusal: "refusal",
};

/** Ends without an `end` where the stream does: then it broke off. @throws ProviderError where the context is full */
export async function* toChunks(events: AsyncIterable<Event>, call: ModelCall): AsyncGenerator<Chunk> {
  const open = new Map<number, Open>();
  const tokens: Tokens = {};
  // A call is held back until it is known that the model wasn't cut off in it.
  let held: CallChunk | undefined;
  let stop: StopReason | "window" = "end";
  let detail: string | undefined;

  for await (const event of events) {
    switch (event.type) {
      case "message_start":
        noteTokens(tokens, event.message.usage);
        yield { type: "usage", usage: await usageOf(call.model, tokens) };
        break;
      case "content_block_start": {
        if (held) yield held;
        held = undefined;
        const block = opened(event.content_block);
        if (block) open.set(event.index, block);
        if (event.content_block.type === "web_search_tool_result") yield* found(event.content_block, open);
        const text = event.content_block.type === "text" ? event.content_block.text : "";
        yield text ? { type: "text", text } : { type: "progress" };
        break;
      }
      case "content_block_delta":
        if (event.delta.type === "text_delta") {
          yield { type: "text", text: event.delta.text };
        } else if (event.delta.type === "citations_delta") {
          yield* cited(event.delta.citation);
        } else {
          grow(open.get(event.index), event.delta);
          yield { type: "progress" };
        }
        break;
      case "content_block_stop": {
        const block = open.get(event.index);
        if (block?.type === "reasoning") yield thought(block.block);
        if (block?.type === "call") held = called(block, call);
        break;
      }
      case "message_delta":
        if (event.delta.stop_reason) stop = stops[event.delta.stop_reason] ?? "end";
        detail = event.delta.stop_details?.explanation ?? event.delta.stop_details?.category ?? detail;
        noteTokens(tokens, event.usage);
        yield { type: "usage", usage: await usageOf(call.model, tokens) };
        break;
      case "message_stop":
        if (held && !(isCutOff(stop) && isPartial(held))) yield held;
        if (stop === "window") throw windowFull(call.model);
        yield { type: "end", stop, ...(detail !== undefined && { detail }) };
        break;
      default:
        // Later versions of the API may send more.
        break;
    }
  }
}

function opened(block: Anthropic.RawContentBlockStartEvent["content_block"]): Open | undefined {
  switch (block.type) {
    case "thinking":
    case "redacted_thinking":
      return { type: "reasoning", block: { ...block } };
    case "tool_use":
      return { type: "call", block, json: "" };
    case "server_tool_use":
      return { type: "search", block, json: "" };
    default:
      return undefined;
  }
}

function grow(open: Open | undefined, delta: Anthropic.RawContentBlockDelta): void {
  if ((open?.type === "call" || open?.type === "search") && delta.type === "input_json_delta")
    open.json += delta.partial_json;
  if (open?.type !== "reasoning" || open.block.type !== "thinking") return;
  if (delta.type === "thinking_delta") open.block.thinking += delta.thinking;
  if (delta.type === "signature_delta") open.block.signature += delta.signature;
}

function* found(result: Anthropic.WebSearchToolResultBlock, open: ReadonlyMap<number, Open>): Generator<Chunk> {
  for (const one of open.values())
    if (one.type === "search" && one.block.id === result.tool_use_id) yield searched(one.block, one.json, result);
}

function* cited(citation: Anthropic.CitationsDelta["citation"]): Generator<Chunk> {
  if (citation.type !== "web_search_result_location") return;
  for (const source of sourceOf(citation.url, citation.title)) yield { type: "source", source };
}

function thought(block: ReasoningBlock): Chunk {
  const summary = block.type === "thinking" ? block.thinking : "";
  return { type: "thinking", ...(summary !== "" && { summary }), opaque: block };
}

function called({ block, json }: Extract<Open, { type: "call" }>, call: ModelCall): CallChunk {
  // Some servers that speak the dialect send the arguments at once, with the block's beginning.
  const args = json === "" && Object.keys(block.input ?? {}).length > 0 ? JSON.stringify(block.input) : json;
  return { type: "call", call_id: block.id, tool: toolNamed(block.name, call), args };
}

const isCutOff = (stop: StopReason | "window") => stop === "max_tokens" || stop === "window";

/** No text at all would be a call without arguments otherwise. */
const isPartial = ({ args }: CallChunk) => args === "" || readArguments(args) === undefined;

const windowFull = (model: string) =>
  new ProviderError(
    `the answer of anthropic (${model}) was cut off, since the model's context is full: begin a new run, or choose a model with a larger context`,
  );

/** The counts of a call, as the API names them: each event has the totals so far of those that it knows. */
type Tokens = {
  input_tokens?: number | undefined;
  cache_read_input_tokens?: number | undefined;
  cache_creation_input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  thinking_tokens?: number | undefined;
  searches?: number | undefined;
};

/** Servers that speak the dialect leave counts out, or all of them. */
function noteTokens(
  tokens: Tokens,
  usage: Partial<Anthropic.Usage> | Partial<Anthropic.MessageDeltaUsage> | undefined,
): void {
  if (!usage) return;
  tokens.input_tokens = usage.input_tokens ?? tokens.input_tokens;
  tokens.cache_read_input_tokens = usage.cache_read_input_tokens ?? tokens.cache_read_input_tokens;
  tokens.cache_creation_input_tokens = usage.cache_creation_input_tokens ?? tokens.cache_creation_input_tokens;
  tokens.output_tokens = usage.output_tokens ?? tokens.output_tokens;
  tokens.searches = usage.server_tool_use?.web_search_requests ?? tokens.searches;
  tokens.thinking_tokens = usage.output_tokens_details?.thinking_tokens ?? tokens.thinking_tokens;
}

async function usageOf(model: string, tokens: Tokens): Promise<CallUsage> {
  const cached = tokens.cache_read_input_tokens ?? 0;
  const written = tokens.cache_creation_input_tokens;
  const usage = {
    // The API counts apart what it read from its cache, and what it wrote there.
    input_tokens: (tokens.input_tokens ?? 0) + cached + (written ?? 0),
    cached_input_tokens: cached,
    ...(written !== undefined && { cache_write_input_tokens: written }),
    output_tokens: tokens.output_tokens ?? 0,
    reasoning_tokens: tokens.thinking_tokens ?? 0,
    ...(tokens.searches && { web_searches: tokens.searches }),
  };
  return { ...usage, cost_usd: await costUsd("anthropic", model, usage) };
}

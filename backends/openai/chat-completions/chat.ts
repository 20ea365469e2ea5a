/** Chat Completions as a provider: the API that Ollama, vLLM, llama.cpp, OpenRouter and many others speak, each its own way. */
import { costUsd } from "../../provider/prices.ts";
import type { CallUsage, Chunk, ModelCall, Provider } from "../../provider/provider.ts";
import { clientOf } from "../endpoint/client.ts";
import { ChatCalls } from "./calls.ts";
import { ChatChunk, type Delta, type Usage } from "./events.ts";
import { ChatReasoning, thinkBlock } from "./reasoning.ts";
import { unsupportedInChat, chatRequest } from "./request.ts";
import { sendSupported } from "../endpoint/unsupported-parameters.ts";
import { contextWindowAt } from "../endpoint/context-window.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { failedInStream, failureOf, streamFailures } from "../endpoint/failures.ts";
import { streamDone, parseServerData, serverEvents } from "../../provider/server-events.ts";
import { takenInChat } from "./media-parts.ts";
import { ThinkTags } from "./think-tags.ts";
import { ToolNames } from "../endpoint/wire-tools.ts";
import { builtInBackends } from "../../../protocol/settings/backends.ts";

export function chat(endpoint: Endpoint, defaultModel: string): Provider {
  const client = clientOf(endpoint);

  async function send(call: ModelCall, signal: AbortSignal): Promise<Response> {
    try {
      return await sendSupported(
        `chat ${endpoint.baseUrl} ${call.model}`,
        unsupportedInChat,
        chatRequest(call, endpoint),
        (body) => client.chat.completions.create(body, { signal }).asResponse(),
      );
    } catch (error) {
      throw failureOf(error, endpoint);
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
    takes: (mime, model) => takenInChat(endpoint, mime, model),
    async *stream(call, signal) {
      yield* chunksOf(serverEvents(await send(call, signal), streamFailures(endpoint)), call, endpoint);
    },
  };
}

async function* chunksOf(events: AsyncIterable<unknown>, call: ModelCall, endpoint: Endpoint): AsyncGenerator<Chunk> {
  const answer = new Answer(new ToolNames(call.tools.map(({ name }) => name)));
  let finish: string | undefined;
  let isDone = false;
  for await (const data of events) {
    if (data === streamDone) {
      isDone = true;
      break;
    }
    const { choices, usage, error } = parseServerData(ChatChunk, data, streamFailures(endpoint));
    if (error !== undefined && error !== null) throw failedInStream(endpoint, error);
    if (usage) yield { type: "usage", usage: await used(usage, call, endpoint) };
    for (const { delta, message, finish_reason } of choices?.slice(0, 1) ?? []) {
      yield* answer.add(delta ?? message ?? {});
      finish = finish_reason || finish;
    }
  }
  if (finish === "error") throw failedInStream(endpoint, { message: "the answer ended in an error" });
  // Some never say why they stop, but they say that they do. Without either the stream was cut off.
  if (finish !== undefined || isDone) yield* answer.end(finish ?? "stop");
}

class Answer {
  readonly #names: ToolNames;
  readonly #reasoning = new ChatReasoning();
  readonly #tags = new ThinkTags();
  readonly #calls = new ChatCalls();
  #refusal = "";

  constructor(names: ToolNames) {
    this.#names = names;
  }

  *add(delta: Delta): Generator<Chunk> {
    if (this.#reasoning.add(delta)) yield { type: "progress" };
    if (delta.content) {
      yield* this.#reasoning.take();
      for (const piece of this.#tags.add(delta.content)) yield* chunkOf(piece);
      yield { type: "progress" };
    }
    if (delta.tool_calls?.length) {
      for (const piece of delta.tool_calls) this.#calls.add(piece);
      yield { type: "progress" };
    }
    this.#refusal += delta.refusal ?? "";
  }

  /** Calls go last: only now is it sure that they are whole. */
  *end(finish: string): Generator<Chunk> {
    const isCutOff = finish === "length";
    for (const piece of this.#tags.end(isCutOff)) yield* chunkOf(piece);
    yield* this.#reasoning.take();
    for (const { call_id, name, args } of this.#calls.whole(isCutOff))
      yield { type: "call", call_id, tool: this.#names.own(name), args };
    if (this.#refusal !== "") yield { type: "end", stop: "refusal", detail: this.#refusal };
    else if (finish === "content_filter")
      yield { type: "end", stop: "refusal", detail: "its content filter stopped the answer" };
    else yield { type: "end", stop: isCutOff ? "max_tokens" : "end" };
  }
}

function* chunkOf({ type, text }: { type: "text" | "think"; text: string }): Generator<Chunk> {
  if (type === "think") yield* thinkBlock(text);
  else yield { type: "text", text };
}

async function used(usage: Usage, { model }: ModelCall, { seller }: Endpoint): Promise<CallUsage> {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  const written = input?.cache_write_tokens;
  const counts: Omit<CallUsage, "cost_usd"> = {
    input_tokens: usage.prompt_tokens,
    cached_input_tokens: input?.cached_tokens ?? 0,
    ...(typeof written === "number" && { cache_write_input_tokens: written }),
    output_tokens: usage.completion_tokens,
    reasoning_tokens: output?.reasoning_tokens ?? 0,
  };
  return { ...counts, cost_usd: seller && (usage.cost ?? (await costUsd(seller, model, counts))) };
}

/** The chunks of a streamed chat completion, in the dialects of those who speak it. Read at the edge. Pure. */
import { z } from "zod";

const text = z.string().nullish();
const count = z.number().nullish();

const CallDelta = z.object({
  index: count,
  id: text,
  function: z
    .object({
      name: text,
      /** An object where a server doesn't write it as text. */
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});
export type CallDelta = z.infer<typeof CallDelta>;

const Delta = z.object({
  content: text,
  refusal: text,
  tool_calls: z.array(CallDelta).nullish(),
  /** DeepSeek, vLLM, llama.cpp. */
  reasoning_content: text,
  /** Ollama, OpenRouter, newer vLLM. */
  reasoning: text,
  /** OpenRouter: the blocks of the provider behind it, with what that one signed them with. */
  reasoning_details: z.array(z.looseObject({ type: z.string() })).nullish(),
});
export type Delta = z.infer<typeof Delta>;

export const Usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
  /** OpenRouter: what it takes for the call, in US dollars. */
  cost: count,
});
export type Usage = z.infer<typeof Usage>;

export const ChatChunk = z.object({
  /** `message`: from a server that doesn't stream. */
  choices: z.array(z.object({ delta: Delta.nullish(), message: Delta.nullish(), finish_reason: text })).nullish(),
  usage: Usage.nullish().catch(undefined),
  error: z.unknown().optional(),
});

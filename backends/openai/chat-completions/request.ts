/** A call of the model as a request of Chat Completions, and what of it a server may refuse. Pure. */
import type { OpenAI } from "openai";
import type { ModelCall } from "../../provider/provider.ts";
import { chatMessages } from "./messages.ts";
import { type UnsupportedParameter, leaveOut } from "../endpoint/unsupported-parameters.ts";
import { effortOf } from "../endpoint/effort.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { shortHash } from "../../provider/short-hash.ts";
import { wireName, wireSchema } from "../endpoint/wire-tools.ts";

export type ChatRequest = OpenAI.ChatCompletionCreateParamsStreaming & {
  /** OpenRouter's own. */
  reasoning?: { max_tokens: number } | { effort: "none" };
};

export function chatRequest(call: ModelCall, { seller }: Endpoint): ChatRequest {
  return {
    model: call.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: chatMessages(call),
    ...(call.tools.length > 0 && {
      tools: call.tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name: wireName(name), description, parameters: wireSchema(schema) },
      })),
    }),
    ...(call.tools.length > 0 && call.toolChoice === "none" && { tool_choice: "none" }),
    // OpenAI's models that reason refuse the old name, and most others know no other.
    ...(call.max_tokens !== undefined &&
      (seller === "openai" ? { max_completion_tokens: call.max_tokens } : { max_tokens: call.max_tokens })),
    ...(call.temperature !== undefined && { temperature: call.temperature }),
    ...(call.thinking_budget !== undefined && thinking(call.thinking_budget, seller)),
  };
}

/** OpenRouter takes a number of tokens; elsewhere there is an effort, if anything. */
function thinking(budget: number, seller: Endpoint["seller"]): Partial<ChatRequest> {
  if (seller !== "openrouter") return { reasoning_effort: effortOf(budget) };
  return { reasoning: budget >= 1 ? { max_tokens: budget } : { effort: "none" } };
}

export const unsupportedInChat: readonly UnsupportedParameter<ChatRequest>[] = [
  // Without it there is no usage, and no more than that is lost.
  leaveOut("stream_options", /stream_options|include_usage/),
  {
    named: /\bmax_tokens\b/,
    without({ max_tokens, ...rest }) {
      return typeof max_tokens === "number" ? { ...rest, max_completion_tokens: max_tokens } : rest;
    },
  },
  leaveOut("reasoning_effort", /reasoning_effort|reasoning\.effort|\bthink/),
  leaveOut("reasoning", /\breasoning\b/),
  // A persona may set it and be run on any model; those that reason take none.
  leaveOut("temperature", /\btemperature\b/),
  leaveOut("tool_choice", /\btool_choice\b/),
  // Mistral's, on its own servers and on vLLM: "must be a-z, A-Z, 0-9, with a length of 9".
  { named: /tool call id.{0,400}length of 9/is, without: withShortIds },
];

function withShortIds(body: ChatRequest): ChatRequest {
  return {
    ...body,
    messages: body.messages.map((message) => {
      if (message.role === "tool") return { ...message, tool_call_id: shortHash(message.tool_call_id, 9) };
      if (message.role !== "assistant" || !message.tool_calls) return message;
      return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: shortHash(call.id, 9) })) };
    }),
  };
}

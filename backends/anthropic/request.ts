/** A model call as a request to the Messages API. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import type { ModelCall } from "../provider/provider.ts";
import { markHistory, withLastMarked } from "./cache-markers.ts";
import { textBlocks, toMessages, type WireMessage } from "./messages.ts";
import { isReasoning } from "./reasoning-block.ts";
import { webSearchTool } from "./search-blocks.ts";
import type { UnsupportedParameters } from "./unsupported-parameters.ts";
import { toTools } from "./wire-tools.ts";

/** The SDK's types are those of an API version that knows no temperature. */
export type Request = Omit<Anthropic.MessageCreateParamsStreaming, "messages"> & {
  messages: WireMessage[];
  temperature?: number;
};

/** The API wants a limit. Room for a long answer, and below the maximum of nearly all models. */
const defaultMaxTokens = 32_000;

/** The API takes no smaller budget. */
const minBudget = 1024;

export function toRequest(call: ModelCall, unsupported: UnsupportedParameters): Request {
  const maySearch = call.search === true && unsupported.search === "asked";
  const isSearchTaken = (id: string) => maySearch && unsupported.acceptsSearch(id);
  const messages = toMessages(call.messages, unsupported.acceptsReasoning, isSearchTaken);
  const { max_tokens, thinking } = limits(call, unsupported, messages);
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  const tools = maySearch ? [...toTools(call, webSearchTool.name), webSearchTool] : toTools(call);
  const instruction = textBlocks(call.instruction);
  const system = [...withLastMarked(instruction), ...textBlocks(call.context)];
  return {
    model: call.model,
    max_tokens,
    stream: true,
    messages: markHistory(messages),
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && {
      // They stand before the instruction: one marker is enough for both.
      tools: instruction.length > 0 ? tools : withLastMarked(tools),
      tool_choice: { type: call.toolChoice },
    }),
    ...(thinking && { thinking }),
    // With thinking the API takes no temperature.
    ...(call.temperature !== undefined &&
      unsupported.hasTemperature &&
      !isThinking && { temperature: call.temperature }),
  };
}

/** Tokens of thinking count as tokens of the answer: the limit has to be above the budget. */
function limits(
  { max_tokens, thinking_budget }: ModelCall,
  unsupported: UnsupportedParameters,
  messages: readonly WireMessage[],
): { max_tokens: number; thinking?: Anthropic.ThinkingConfigParam } {
  const budget = Math.floor(thinking_budget ?? 0);
  const ours = Math.min(defaultMaxTokens + Math.max(0, budget), unsupported.maxTokens);
  const most = max_tokens === undefined ? ours : Math.max(1, Math.floor(max_tokens));
  if (thinking_budget === undefined || unsupported.thinking === "unset") return { max_tokens: most };
  if (budget <= 0) return { max_tokens: most, thinking: { type: "disabled" } };
  // Newer models send a signature and no words unless they are asked for a summary.
  if (unsupported.thinking === "adaptive")
    return { max_tokens: most, thinking: { type: "adaptive", display: "summarized" } };
  const wanted = Math.max(minBudget, budget);
  // The user's limit stands: where it leaves nothing for the answer, half of it is for thinking.
  const budget_tokens = wanted < most ? wanted : Math.floor(most / 2);
  if (budget_tokens < minBudget || !mayThink(messages)) return { max_tokens: most };
  return { max_tokens: most, thinking: { type: "enabled", budget_tokens } };
}

/**
 * Whether the API accepts a budget here. Between a call and the answer it doesn't where the turn wasn't begun with thinking:
 * where another model made the calls, or its reasoning was refused.
 */
function mayThink(messages: readonly WireMessage[]): boolean {
  const said = messages.findLastIndex(
    ({ role, content }) => role === "user" && content.some(({ type }) => type !== "tool_result"),
  );
  const next = messages[said + 1];
  return next === undefined || isReasoning(next.content[0]);
}

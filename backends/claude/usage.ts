/** Usage of a run of Claude Code: call by call as the API reports it, and at the end as Claude Code counts it. Pure. */
import type { ModelUsage } from "@anthropic-ai/claude-agent-sdk";
import type { SessionUsage } from "./sessions.ts";

/** Token counts as the Messages API has them. Of the parts of a stream, each has some. */
export type ApiUsage = {
  input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  output_tokens?: number | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
};

export const noUsage: SessionUsage = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
};

/** Usage of one call. The API counts cached tokens apart from the rest. */
export function callUsage(usage: ApiUsage): Omit<SessionUsage, "cost_usd"> {
  const cached = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    input_tokens: (usage.input_tokens ?? 0) + cached + written,
    cached_input_tokens: cached,
    cache_write_input_tokens: written,
    output_tokens: usage.output_tokens ?? 0,
    reasoning_tokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

/** Usage of a session as Claude Code has counted it. Its cost for a model that it doesn't know is a guess, and left out. */
export function sessionUsage(models: Readonly<Record<string, ModelUsage>>): SessionUsage {
  return Object.values(models)
    .map((model) => ({
      ...callUsage({
        input_tokens: model.inputTokens,
        cache_read_input_tokens: model.cacheReadInputTokens,
        cache_creation_input_tokens: model.cacheCreationInputTokens,
        output_tokens: model.outputTokens,
        output_tokens_details: { thinking_tokens: model.thinkingTokens ?? 0 },
      }),
      cost_usd: model.costBasis === "unknown" ? null : model.costUSD,
    }))
    .reduce((sumOfUsage, used) => combine(sumOfUsage, used, (a, b) => a + b), noUsage);
}

export const sumOfUsage = (a: SessionUsage, b: SessionUsage): SessionUsage => combine(a, b, (x, y) => x + y);

/** `a` without `b`. Never below zero. */
export const usageDifference = (a: SessionUsage, b: SessionUsage): SessionUsage =>
  combine(a, b, (x, y) => Math.max(0, x - y));

function combine(a: SessionUsage, b: SessionUsage, by: (a: number, b: number) => number): SessionUsage {
  return {
    input_tokens: by(a.input_tokens, b.input_tokens),
    cached_input_tokens: by(a.cached_input_tokens, b.cached_input_tokens),
    cache_write_input_tokens: by(a.cache_write_input_tokens, b.cache_write_input_tokens),
    output_tokens: by(a.output_tokens, b.output_tokens),
    reasoning_tokens: by(a.reasoning_tokens, b.reasoning_tokens),
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : by(a.cost_usd, b.cost_usd),
  };
}

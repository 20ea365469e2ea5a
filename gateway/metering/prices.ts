/** The cost of a call, from a maintained price list. A model that it doesn't know has no price, never a guess. */
import type { ModelProviderName } from "../../protocol/settings/model-providers.ts";
import { modelProviders } from "../../protocol/settings/model-providers.ts";
import type { MeteredUsage } from "../../protocol/runs/metering.ts";
import type { Spent } from "../../protocol/runs/spent.ts";

export type Tokens = Pick<MeteredUsage, "input_tokens" | "output_tokens"> &
  Partial<Pick<MeteredUsage, "cached_input_tokens" | "cache_write_input_tokens" | "web_searches">>;

/** The cost in US dollars, or null. */
export async function costUsd(provider: ModelProviderName, model: string, tokens: Tokens): Promise<number | null> {
  // Loaded with the first call, so that the program starts quickly.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const usage = {
    input_tokens: tokens.input_tokens,
    cache_read_tokens: tokens.cached_input_tokens ?? 0,
    cache_write_tokens: tokens.cache_write_input_tokens ?? 0,
    output_tokens: tokens.output_tokens,
    web_searches: tokens.web_searches ?? 0,
  };
  return calcPrice(usage, model, { providerId: modelProviders[provider].seller })?.total_price ?? null;
}

/** Computes the amount of one call of so many tokens: of several models it may be made with, the dearest. */
export async function amountOf(provider: ModelProviderName, models: readonly string[], tokens: Tokens): Promise<Spent> {
  const costs = await Promise.all(models.map((model) => costUsd(provider, model, tokens)));
  const { input_tokens, output_tokens } = tokens;
  const isUnpriced = costs.includes(null);
  return {
    calls: 1,
    untold_calls: 0,
    input_tokens,
    cached_input_tokens: 0,
    output_tokens,
    reasoning_tokens: 0,
    cost_usd: isUnpriced ? 0 : Math.max(0, ...costs.map((cost) => cost ?? 0)),
    unpriced_tokens: isUnpriced ? input_tokens + output_tokens : 0,
  };
}

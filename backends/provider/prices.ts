/** What a call costs, and how much a model takes in: from a maintained price list. A model that it doesn't know has no price, never a guess. */
import type { CallUsage } from "./provider.ts";

/** Who sells the model, as the list names them. */
export type Seller = "openai" | "anthropic" | "google" | "openrouter";

export type ModelTerms = { context_window: number | null; input_usd: number | null; output_usd: number | null };

/** The cost of a call in US dollars, or null. The list is imported when the first price is asked for: it's behind the answer then. */
export async function costUsd(
  seller: Seller,
  model: string,
  usage: Omit<CallUsage, "cost_usd">,
): Promise<number | null> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const priced = calcPrice(
    {
      input_tokens: usage.input_tokens,
      cache_read_tokens: usage.cached_input_tokens,
      cache_write_tokens: usage.cache_write_input_tokens ?? 0,
      output_tokens: usage.output_tokens,
    },
    model,
    { providerId: seller },
  );
  return priced?.total_price ?? null;
}

/** Of so few that no surcharge for long conversations is in it. */
const fewTokens = 1000;

/** What the list knows of a model: what a million tokens cost in US dollars, and how many it takes in. Null for what isn't known. */
export async function termsOf(seller: Seller, model: string): Promise<ModelTerms> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const input = calcPrice({ input_tokens: fewTokens }, model, { providerId: seller });
  const output = calcPrice({ output_tokens: fewTokens }, model, { providerId: seller });
  return {
    context_window: input?.model.context_window ?? null,
    input_usd: perMillion(input?.total_price),
    output_usd: perMillion(output?.total_price),
  };
}

/** Rounded to a millionth of a dollar: the rest is floating point. */
function perMillion(price: number | undefined): number | null {
  return price === undefined ? null : Math.round((price * 1e12) / fewTokens) / 1e6;
}

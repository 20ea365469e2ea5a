/** What a call costs, and how much a model takes in: from a maintained price list. A model that it doesn't know has no price, never a guess. */
import type { CallUsage } from "./provider.ts";

/** Who sells the model, as the list names them. */
export type Seller = "openai" | "anthropic" | "google" | "openrouter";

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

/** How many tokens a model takes in, or null where that isn't known. */
export async function contextWindow(seller: Seller, model: string): Promise<number | null> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const priced = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: seller });
  return priced?.model.context_window ?? null;
}

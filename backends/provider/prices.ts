/** Costs of calls and context windows of models, from a maintained price list. A model that it doesn't know has no price, never a guess. */
import type { BuiltInBackendName, builtInBackends } from "../../protocol/settings/backends.ts";
import type { CallUsage } from "./provider.ts";

/** The model's seller, as the list names it. */
export type Seller = NonNullable<(typeof builtInBackends)[BuiltInBackendName]["seller"]>;

export type ModelInfo = { context_window: number | null; input_usd: number | null; output_usd: number | null };

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
      web_searches: usage.web_searches ?? 0,
    },
    model,
    { providerId: seller },
  );
  return priced?.total_price ?? null;
}

/** Few enough tokens that no surcharge for long conversations applies. */
const fewTokens = 1000;

/** The list's entry for a model: the price of a million tokens in US dollars, and the context window. Null where it is unknown. */
export async function modelInfo(seller: Seller, model: string): Promise<ModelInfo> {
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

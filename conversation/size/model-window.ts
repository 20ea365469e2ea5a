/** Context windows and prices of models, from a maintained list, which is imported at the first call. */
import { type BuiltInBackendName, builtInBackends, isBuiltInBackend } from "../../protocol/settings/backends.ts";

/** Below the tokens at which any model has a surcharge. */
const fewTokens = 1000;

/** The seller of a backend's models; null where nobody knows it, or nothing is sold. */
export function sellerOf(backend: string | undefined): (typeof builtInBackends)[BuiltInBackendName]["seller"] {
  return backend !== undefined && isBuiltInBackend(backend) ? builtInBackends[backend].seller : null;
}

/** Undefined for a model that the list doesn't know. */
export async function windowOf(backend: string, model: string): Promise<number | undefined> {
  return (await listed(backend, model, { input_tokens: fewTokens }))?.model.context_window ?? undefined;
}

/**
 * Finds the price of as many tokens of input as of output, to compare models by; undefined for one that the list
 * doesn't know.
 */
export async function priceOf(backend: string, model: string): Promise<number | undefined> {
  const usage = { input_tokens: fewTokens, output_tokens: fewTokens };
  return (await listed(backend, model, usage))?.total_price;
}

async function listed(backend: string, model: string, usage: { input_tokens: number; output_tokens?: number }) {
  const providerId = sellerOf(backend);
  if (providerId === null) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice(usage, model, { providerId });
}

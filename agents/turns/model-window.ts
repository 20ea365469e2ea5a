/** Context windows of models, from a maintained list. */
import { builtInBackends, isBuiltInBackend } from "../../protocol/settings/backends.ts";

/** Below the tokens at which any model has a surcharge. */
const fewTokens = 1000;

/** Undefined for a model that the list doesn't know. The list is imported at the first call. */
export async function windowOf(backend: string, model: string): Promise<number | undefined> {
  const providerId = isBuiltInBackend(backend) ? builtInBackends[backend].seller : null;
  if (providerId === null) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice({ input_tokens: fewTokens }, model, { providerId })?.model.context_window ?? undefined;
}

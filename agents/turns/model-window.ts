/** Context windows of models, from a maintained list. */

/** Below the tokens at which any model has a surcharge. */
const fewTokens = 1000;

/** Provider of each backend's models, as the list names it. */
const providers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  claude: "anthropic",
  openai: "openai",
  google: "google",
  openrouter: "openrouter",
};

/** Undefined for a model that the list doesn't know. The list is imported at the first call. */
export async function windowOf(backend: string, model: string): Promise<number | undefined> {
  const { [backend]: providerId } = providers;
  if (providerId === undefined) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice({ input_tokens: fewTokens }, model, { providerId })?.model.context_window ?? undefined;
}

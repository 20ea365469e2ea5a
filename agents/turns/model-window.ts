/** How many tokens a model takes in, from a maintained list. */

/** Fewer than any list asks a surcharge for. */
const fewTokens = 1000;

/** Who sells the models of a backend, as the list names them. */
const sellers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  claude: "anthropic",
  openai: "openai",
  google: "google",
  openrouter: "openrouter",
};

/** Undefined for a model that the list doesn't know. The list is imported when it is asked for the first time. */
export async function windowOf(backend: string, model: string): Promise<number | undefined> {
  const { [backend]: providerId } = sellers;
  if (providerId === undefined) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice({ input_tokens: fewTokens }, model, { providerId })?.model.context_window ?? undefined;
}

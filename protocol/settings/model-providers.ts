/** The providers of models that have a key: the variables by which programs find them, and where they are otherwise. */
import { builtInBackends } from "./backends.ts";

/**
 * @field key the variable of the key
 * @field address the variable of another address
 * @field usual where the provider is
 * @field seller as the price list names it
 */
export type ModelProvider = { key: string; address: string; usual: string; seller: string };

const provider = (name: ModelProviderName, usual: string): ModelProvider => {
  const { key, environment, seller } = builtInBackends[name];
  return { key, address: environment[1], usual, seller };
};

export const modelProviderNames = ["anthropic", "openai", "google", "openrouter"] as const;
export type ModelProviderName = (typeof modelProviderNames)[number];

export const modelProviders: Readonly<Record<ModelProviderName, ModelProvider>> = {
  anthropic: provider("anthropic", "https://api.anthropic.com"),
  openai: provider("openai", "https://api.openai.com/v1"),
  google: provider("google", "https://generativelanguage.googleapis.com"),
  openrouter: provider("openrouter", "https://openrouter.ai/api/v1"),
};

/** `openrouter`: the models of many providers behind one key, over Chat Completions. Reasoning comes in its `reasoning_details`. */
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import { missingKey } from "../provider/http-failure.ts";
import { chat } from "../openai/chat-completions/chat.ts";
import { modelIds } from "../openai/endpoint/client.ts";
import { type Endpoint, readUrl } from "../openai/endpoint/endpoint.ts";
import type { Provider } from "../provider/provider.ts";

/** OpenRouter's own choice of a model that fits the prompt. Settings' `default_model` wins over it. */
const defaultModel = "openrouter/auto";

/** @throws ProviderError, reason `config` */
export function openrouter(_config: RunConfig, environment: NodeJS.ProcessEnv): Provider {
  return chat(endpointOf(environment), defaultModel);
}

/** The models that it offers. @throws ProviderError */
export async function listModels(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string[]> {
  return modelIds(endpointOf(environment), signal);
}

function endpointOf(environment: NodeJS.ProcessEnv): Endpoint {
  const key = environment["OPENROUTER_API_KEY"] || undefined;
  if (key === undefined) throw missingKey("openrouter", "OPENROUTER_API_KEY");
  const url = environment["OPENROUTER_BASE_URL"] || "https://openrouter.ai/api/v1";
  const { href: baseUrl } = readUrl("openrouter", "OPENROUTER_BASE_URL", url);
  return { backend: "openrouter", keyName: "OPENROUTER_API_KEY", key, baseUrl, seller: "openrouter" };
}

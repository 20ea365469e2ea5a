/** `openai`: OpenAI's models over the Responses API, and any server that speaks Chat Completions. */
import { z } from "zod";
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import { OpenaiSettings } from "../../protocol/settings/parts/openai-settings.ts";
import { type Provider, ProviderError } from "../provider/provider.ts";
import { chat } from "./chat-completions/chat.ts";
import { type Endpoint, openaiEndpoint } from "./endpoint/endpoint.ts";
import { responses } from "./responses/responses.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

/** Settings' `default_model` wins over it. */
const defaultModel = "gpt-5.6-terra";

/**
 * `config.openai.api` says which API; without it, only OpenAI's own server is asked for Responses.
 * @throws ProviderError, reason `config`
 */
export function openai(config: RunConfig, environment: NodeJS.ProcessEnv): Provider {
  return openaiAt(openaiEndpoint(environment), config);
}

/** The same, where the endpoint is known. @throws ProviderError, reason `config` */
export function openaiAt(endpoint: Endpoint, config: RunConfig): Provider {
  const isOwn = endpoint.seller === "openai";
  const api = apiOf(config) ?? (isOwn ? "responses" : "chat");
  if (api === "responses") return responses(endpoint, defaultModel);
  if (config.model === undefined && !isOwn) throw noModel(endpoint);
  return chat(endpoint, defaultModel);
}

function apiOf(config: RunConfig): "responses" | "chat" | undefined {
  const { success, data, error } = OpenaiSettings.optional().safeParse(config["openai"] ?? undefined);
  if (!success) throw new ProviderError(`bad settings of openai: ${z.prettifyError(error)}`, { reason: "config" });
  return data?.api;
}

/** No name would be right for every server. */
function noModel({ baseUrl }: Endpoint): ProviderError {
  return new ProviderError(
    `openai at ${shownUrl(baseUrl)} needs to know which model: choose one with --model, or set default_model.openai in cortex.json`,
    { reason: "config" },
  );
}

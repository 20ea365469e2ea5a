/** How large a conversation a server takes for a model, as far as it says: vLLM, llama.cpp, LM Studio and OpenRouter in the list of models, Ollama when it is asked. */
import { z } from "zod";
import { fetch } from "../../../proc/http/fetch.ts";
import { maxPartJsonDepth, parseJson } from "../../../protocol/json/parse-json.ts";
import { clientOf } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";

const size = z.number().int().positive().optional().catch(undefined);

/**
 * The fields that servers tell beside a model's name, each its own; `n_ctx_train` is what the model could, `n_ctx` what
 * it has.
 */
const Listed = z.looseObject({
  id: z.string(),
  max_model_len: size,
  context_length: size,
  context_window: size,
  max_context_length: size,
  meta: z.looseObject({ n_ctx: size, n_ctx_train: size }).nullish().catch(undefined),
});

const Shown = z.looseObject({
  parameters: z.string().optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** @throws whatever asking throws */
export async function contextWindowAt(
  endpoint: Endpoint,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const ofOllama = endpoint.seller === null ? await shownByOllama(endpoint, model, signal) : undefined;
  return ofOllama ?? listed(endpoint, model, signal);
}

async function listed(endpoint: Endpoint, model: string, signal: AbortSignal): Promise<number | undefined> {
  for await (const entry of clientOf(endpoint).models.list({ signal })) {
    const { success, data } = Listed.safeParse(entry);
    if (!success || data.id !== model) continue;
    const { max_model_len, context_length, context_window, max_context_length, meta } = data;
    return max_model_len ?? meta?.n_ctx ?? context_length ?? context_window ?? max_context_length ?? meta?.n_ctx_train;
  }
  return undefined;
}

/** Its own API stands beside that of OpenAI's, which says nothing of it. */
async function shownByOllama(
  { baseUrl, key }: Endpoint,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const response = await fetch(new URL("/api/show", baseUrl), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model }),
    redirect: "error",
    signal,
  });
  const text = await response.text();
  if (!response.ok) return undefined;
  const { data } = Shown.safeParse(jsonOf(text));
  const set = data?.parameters?.split("\n").find((line) => line.startsWith("num_ctx "));
  if (set !== undefined) return Number(set.slice("num_ctx ".length)) || undefined;
  const [, most] = Object.entries(data?.model_info ?? {}).find(([name]) => name.endsWith(".context_length")) ?? [];
  return typeof most === "number" && most > 0 ? most : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text, maxPartJsonDepth);
  } catch {
    return undefined;
  }
}

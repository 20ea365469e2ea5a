/** Which models OpenAI, or the server that `OPENAI_BASE_URL` names, offers to the key. */
import { modelIds } from "./endpoint/client.ts";
import { openaiEndpoint } from "./endpoint/endpoint.ts";

/** @throws ProviderError */
export async function listModels(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string[]> {
  return modelIds(openaiEndpoint(environment), signal);
}

/** The models that a key may use. */
import { openClient } from "./client.ts";

/**
 * The names of those that answer, as `model` takes them.
 * @throws ProviderError
 */
export async function listModels(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string[]> {
  const client = openClient(environment);
  const names: string[] = [];
  try {
    const pages = await client.models.list({ config: { pageSize: 200, abortSignal: signal } });
    for await (const { name, supportedActions } of pages) {
      // There are others for embeddings, pictures and films.
      if (name !== undefined && supportedActions?.includes("generateContent"))
        names.push(name.replace(/^models\//, ""));
    }
  } catch (error) {
    throw signal.aborted ? error : client.broken(error);
  }
  return names;
}

/** How much a model takes, as the API says. */
export async function contextWindow(
  environment: NodeJS.ProcessEnv,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { inputTokenLimit: most } = await openClient(environment).models.get({
    model,
    config: { abortSignal: signal },
  });
  return typeof most === "number" && most > 0 ? most : undefined;
}

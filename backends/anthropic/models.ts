/** The models that a key can use. */
import { secretHider } from "../provider/secrets.ts";
import { openClient } from "./client.ts";
import { failureOf } from "./failure.ts";

/** The largest page that the API gives. */
const limit = 1000;

/** The names of the models, newest first. @throws ProviderError */
export async function listModels(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string[]> {
  const client = openClient(environment);
  const names: string[] = [];
  try {
    for await (const model of client.models.list({ limit }, { signal })) {
      // Retired models stay in the list, and can't be called.
      if (model.lifecycle !== "retired") names.push(model.id);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, secretHider(environment));
  }
  return names;
}

/** How much a model takes, where the list of models says. */
export async function contextWindow(
  environment: NodeJS.ProcessEnv,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { max_input_tokens: most } = await openClient(environment).models.retrieve(model, {}, { signal });
  return typeof most === "number" && most > 0 ? most : undefined;
}

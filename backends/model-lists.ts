/** Asks providers which models they have: the cheapest question that needs the key. */
import type { BuiltInBackendName } from "../protocol/settings/backends.ts";
import { messageWithCauses, RunFailure } from "./provider/failure.ts";
import { type ModelInfo, type Seller, modelInfo } from "./provider/prices.ts";
import { secretHider } from "./provider/secrets.ts";

/** The providers that have a list, by the names that the price list knows too. */
type Listed = Seller & BuiltInBackendName;

type ListModels = (environment: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<string[]>;

/** Providers that list their models; each one's module is imported when it is asked. */
const lists: Record<Listed, () => Promise<{ listModels: ListModels }>> = {
  anthropic: () => import("./anthropic/models.ts"),
  openai: () => import("./openai/models.ts"),
  google: () => import("./google/models.ts"),
  openrouter: () => import("./openrouter/provider.ts"),
};

/** The backends whose models can be asked for. */
export const listedBackends = Object.keys(lists) as Listed[];

export type ListedModel = { model: string } & ModelInfo;
export type ModelList = { ok: true; models: ListedModel[] } | { ok: false; error: string };

/** A provider's answer. A refused key, or nobody there, is an answer too. */
export async function modelsOf(
  backend: Listed,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ModelList> {
  try {
    const { listModels } = await lists[backend]();
    const names = await listModels(environment, signal);
    const models = names.map(async (model) => ({ model, ...(await modelInfo(backend, model)) }));
    return { ok: true, models: await Promise.all(models) };
  } catch (error) {
    // A failure that was expected has said all; only others need their causes.
    const message = error instanceof RunFailure ? error.message : messageWithCauses(error);
    return { ok: false, error: secretHider(environment)(signal.aborted ? "no answer in time" : message) };
  }
}

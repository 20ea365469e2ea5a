/** Which model answers and how much it takes, and which one sums up: by the agents, the settings and a price list. */
import { priceOf, sellerOf, windowOf } from "../../conversation/size/model-window.ts";
import { backendProblem } from "../records/usable-backend.ts";
import type { AgentConfig } from "../records/agent.ts";
import type { ContextRoom } from "./context-room.ts";
import type { SummaryModel } from "./summary-request.ts";

/** Tokens of the window of a model that neither the settings nor the price list know. */
const usualWindow = 200_000;

export type ConfiguredModels = {
  /** The backend of agents that name none. */
  defaultBackend: string;
  /** The settings' model of each backend, for those that have what they need. */
  defaultModels: Readonly<Record<string, string>>;
  /** Windows that the settings know better, by model. */
  windows: Readonly<Record<string, number>>;
  /** The model that the settings name for summaries. */
  summary: { backend?: string | undefined; model: string } | undefined;
};

type Named = Pick<AgentConfig, "backend" | "model">;

/** The model of an agent, as cortex will choose it. */
export function modelOf({ backend, model }: Named, { defaultBackend, defaultModels }: ConfiguredModels): SummaryModel {
  const name = backend ?? defaultBackend;
  return { backend: name, model: model ?? defaultModels[name] };
}

export async function roomOf(
  config: Named & Pick<AgentConfig, "max_tokens" | "tools">,
  models: ConfiguredModels,
  mostBytes: number,
): Promise<ContextRoom> {
  const { backend, model } = modelOf(config, models);
  const known = model === undefined ? undefined : (models.windows[model] ?? (await windowOf(backend, model)));
  return {
    window: known ?? usualWindow,
    maxTokens: config.max_tokens,
    hasTools: config.tools.length > 0,
    seller: sellerOf(backend),
    mostBytes,
  };
}

/**
 * The settings' model for summaries, else the cheapest of those that are configured; the agent's own where no price is known.
 * @param agents of the workspace
 */
export async function summaryModelOf(
  config: Named,
  agents: readonly Named[],
  models: ConfiguredModels,
): Promise<SummaryModel> {
  const { summary, defaultModels } = models;
  if (summary) return modelOf({ backend: summary.backend ?? null, model: summary.model }, models);
  const own = modelOf(config, models);
  const ofSettings = Object.entries(defaultModels).map(([backend, model]) => ({ backend, model }));
  let cheapest: { model: SummaryModel; price: number } | undefined;
  for (const each of [own, ...agents.map((agent) => modelOf(agent, models)), ...ofSettings]) {
    if (backendProblem(each.backend)) continue;
    const price = each.model === undefined ? undefined : await priceOf(each.backend, each.model);
    if (price !== undefined && price < (cheapest?.price ?? Number.POSITIVE_INFINITY)) cheapest = { model: each, price };
  }
  return cheapest?.model ?? own;
}

/**
 * Agents that answer as a persona file: made when one is mentioned for the first time, and given another version when the file
 * has changed since.
 */
import { isDeepStrictEqual } from "node:util";
import type { WorkspaceChange } from "../database/changes/change.ts";
import { splitTools } from "../../protocol/settings/packs.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import { AgentConfig } from "../records/agent.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";
import { agentOfSlug } from "./agent-rows.ts";
import { addToldAgent, publishNewVersion } from "./agents.ts";

/** Whether a workspace allows that persona files are mentioned. */
export async function allowsPersonas({ tables }: WorkspaceChange, workspaceId: string): Promise<boolean> {
  const { settings_json } = await tables
    .selectFrom("workspaces")
    .select("settings_json")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return WorkspaceSettings.parse(JSON.parse(settings_json)).personas;
}

/** The agent of a persona, as its file is now; null: there is no such file, or its agent isn't active. */
export async function personaAgent(
  change: WorkspaceChange,
  workspaceId: string,
  slug: string,
): Promise<{ id: string; version: number } | null> {
  const persona = change.personaOf(slug);
  const config = persona && configOf(slug, persona);
  if (!config) return null;
  const known = await agentOfSlug(change.tables, workspaceId, slug);
  if (!known) {
    const file = { ...config, slug, is_active: true, is_system: false };
    return { id: await addToldAgent(change, workspaceId, file), version: 1 };
  }
  const { id, version } = known;
  if (known.persona !== slug || !known.is_active) return null;
  const isSame = isDeepStrictEqual(AgentConfig.parse(known), config);
  return { id, version: isSame ? version : await publishNewVersion(change, id, config) };
}

/** Undefined: what stands in the file is nothing that an agent can be. Tools it has only where the file names some. */
function configOf(
  name: string,
  { instruction, settings }: Pick<Persona, "instruction" | "settings">,
): AgentConfig | undefined {
  const { title, description, model, backend, max_tokens, tools, sandbox, max_cost_usd, max_turns } = settings;
  return AgentConfig.safeParse({
    name,
    display_name: title ?? name,
    description: description ?? "",
    system_prompt: instruction,
    model: model ?? null,
    backend: backend ?? null,
    ...(max_tokens !== undefined && { max_tokens }),
    tools: Array.isArray(tools) ? tools : splitTools(tools),
    sandbox: sandbox ?? null,
    limits: { ...(max_cost_usd !== undefined && { max_cost_usd }), ...(max_turns !== undefined && { max_turns }) },
    persona: name,
  }).data;
}

/** `cortex workspace agents versions|publish|remove`: what an agent was before, made it again, and an agent that goes. */
import { allOf, answered, type ApiRecord } from "../../../web/client/workspace-client.ts";
import { AgentConfig } from "../../../workspace/records/agent.ts";
import { usageError } from "../../command/command.ts";
import { columns } from "../../command/layout/columns.ts";
import { printResult, type WorkspaceLink } from "../lookup/workspace-link.ts";

type Agent = ApiRecord<"Agent">;
type Version = ApiRecord<"AgentVersion">;

/** @param given its slug, with or without the @, or its id. @throws CommandError */
export function agentNamed(agents: readonly Agent[], given: string | undefined, action: string): Agent {
  if (given === undefined)
    throw usageError("AGENT is missing", `for example: cortex workspace agents ${action} @assistant`);
  const slug = given.replace(/^@/, "").toLowerCase();
  const found = agents.find((agent) => agent.slug === slug || agent.id === slug);
  if (!found) throw usageError(`there is no agent "${given}"`, "agents: cortex workspace agents");
  return found;
}

/** Newest first, with the fields in which each differs from the one before it. */
export async function showVersions({ client }: WorkspaceLink, agent: Agent, json: boolean): Promise<number> {
  const params = { path: { id: agent.id } };
  const versions = await allOf((query) => client.GET("/api/v1/agents/{id}/versions", { params: { ...params, query } }));
  return printResult(json, { agent, versions }, () => {
    const rows = versions.map(({ version, created_at }, at) => [
      String(version),
      created_at,
      version === agent.version ? "published" : "",
      changedFields(versions[at + 1], versions[at]).join(", "),
    ]);
    return columns([["VERSION", "MADE", "", "CHANGED"], ...rows]);
  });
}

function changedFields(before: Version | undefined, after: Version | undefined): string[] {
  if (!before || !after) return [];
  const names = Object.keys(AgentConfig.shape) as (keyof AgentConfig)[];
  return names.filter((name) => JSON.stringify(before.config[name]) !== JSON.stringify(after.config[name]));
}

/** @throws CommandError, ApiError for a version that there isn't */
export async function publishVersion(
  { client }: WorkspaceLink,
  agent: Agent,
  given: string | undefined,
  json: boolean,
): Promise<number> {
  const version = Number(given);
  if (!Number.isSafeInteger(version) || version < 1) {
    const problem = given === undefined ? "VERSION is missing" : `"${given}" is no version`;
    throw usageError(problem, `versions: cortex workspace agents versions @${agent.slug}`);
  }
  const params = { path: { id: agent.id } };
  const published = await answered(client.POST("/api/v1/agents/{id}/publish", { params, body: { version } }));
  return printResult(json, published, () => `@${published.slug} answers as version ${published.version}`);
}

export async function removeAgent({ client }: WorkspaceLink, agent: Agent, json: boolean): Promise<number> {
  await answered(client.DELETE("/api/v1/agents/{id}", { params: { path: { id: agent.id } } }));
  return printResult(json, { ok: true, removed: agent }, () => `@${agent.slug} was removed; what it has said stays`);
}

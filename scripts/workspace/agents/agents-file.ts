/** Agents of a workspace as YAML, and YAML as agents of a workspace: written out, compared, brought in. */
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { messageOf } from "../../../files/errors/error-message.ts";
import { allOf, answered, type ApiRecord } from "../../../web/client/workspace-client.ts";
import {
  type AgentDifference,
  type AgentFile,
  diffAgents,
  fileOf,
  readAgentsYaml,
  writeAgentsYaml,
} from "../../../workspace/agents/agents-yaml.ts";
import { backendProblem } from "../../../workspace/records/usable-backend.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { usageError } from "../../command/command.ts";
import type { WorkspaceLink } from "../lookup/workspace-link.ts";

/** No team's agents come near it. In bytes. */
const maxBytes = 16 * 1024 * 1024;

export const agentsOf = ({ client }: WorkspaceLink, workspaceId: string): Promise<ApiRecord<"Agent">[]> =>
  allOf((query) => client.GET("/api/v1/workspaces/{w}/agents", { params: { path: { w: workspaceId }, query } }));

/** The same agents always make the same text. */
export const yamlOf = (agents: readonly ApiRecord<"Agent">[]) => writeAgentsYaml(agents);

/** @param path a file, or `-` for standard input. @throws CommandError */
export async function readAgentsFile(path: string): Promise<AgentFile[]> {
  try {
    const text = path === "-" ? await readAll(process.stdin) : readFileSync(path, "utf8");
    if (Buffer.byteLength(text) > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return readAgentsYaml(text);
  } catch (error) {
    const hint =
      error instanceof WorkspaceError ? "such a file: cortex workspace agents export" : "name a file that can be read";
    throw usageError(`${path}: ${messageOf(error)}`, hint);
  }
}

/** Compares a file with the workspace: `removed` is in the workspace and not in the file. */
export function differences(agents: readonly ApiRecord<"Agent">[], file: readonly AgentFile[]): AgentDifference[] {
  return diffAgents(agents.map(fileOf), file);
}

export type Imported = AgentDifference & { done: boolean; why?: string };

/**
 * Makes the workspace's agents those of the file. One that the file doesn't have is left as it is.
 * @throws ApiError, CommandError before anything is done, where one would be refused
 */
export async function importAgents(
  link: WorkspaceLink,
  workspaceId: string,
  file: readonly AgentFile[],
  isDryRun: boolean,
): Promise<Imported[]> {
  const agents = await agentsOf(link, workspaceId);
  for (const { slug, backend } of file) {
    const problem = backendProblem(backend);
    if (problem) throw usageError(`agent "${slug}": ${problem.message}`, problem.hint);
  }
  const imported: Imported[] = [];
  for (const difference of differences(agents, file)) {
    const wanted = file.find(({ slug }) => slug === difference.slug);
    const there = agents.find(({ slug }) => slug === difference.slug);
    const why = whyNot(difference, wanted);
    if (why === null && wanted && !isDryRun) {
      if (there) await change(link, there, wanted);
      else await add(link, workspaceId, wanted);
    }
    imported.push({ ...difference, done: why === null, ...(why === null ? {} : { why }) });
  }
  return imported;
}

function whyNot(difference: AgentDifference, wanted: AgentFile | undefined): string | null {
  if (!wanted) return "the file doesn't have it: it was left as it is";
  if (difference.change === "added") return wanted.is_system ? "only a workspace itself makes a system agent" : null;
  if (difference.change === "changed" && difference.fields.includes("is_system"))
    return "is_system can't be changed: it was left as it is";
  return null;
}

async function add(link: WorkspaceLink, workspaceId: string, wanted: AgentFile): Promise<void> {
  const { is_active: isActive, is_system: _, ...agent } = wanted;
  const { client } = link;
  const made = await answered(
    client.POST("/api/v1/workspaces/{w}/agents", { params: { path: { w: workspaceId } }, body: agent }),
  );
  if (!isActive) await setActive(link, made.id, false);
}

async function change(link: WorkspaceLink, there: ApiRecord<"Agent">, wanted: AgentFile): Promise<void> {
  const { is_active: isActive, is_system: _, slug: __, ...config } = wanted;
  const fields = diffAgents([fileOf(there)], [wanted]).flatMap((one) => (one.change === "changed" ? one.fields : []));
  const body = Object.fromEntries(Object.entries(config).filter(([name]) => (fields as string[]).includes(name)));
  if (Object.keys(body).length > 0)
    await answered(link.client.PATCH("/api/v1/agents/{id}", { params: { path: { id: there.id } }, body }));
  if (isActive !== there.is_active) await setActive(link, there.id, isActive);
}

const setActive = ({ client }: WorkspaceLink, id: string, isActive: boolean) =>
  answered(
    client.POST("/api/v1/agents/{id}/toggle-active", { params: { path: { id } }, body: { is_active: isActive } }),
  );

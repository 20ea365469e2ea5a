/** Agents as YAML: what people keep in a repository, and compare with the database. */
import { messageOf } from "../../files/errors/error-message.ts";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { Agent, type AgentConfig, NewAgent } from "../records/agent.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

export const AgentFile = NewAgent.extend({
  is_active: Agent.shape.is_active.default(true),
  is_system: Agent.shape.is_system.default(false),
});
export type AgentFile = z.infer<typeof AgentFile>;

const AgentsFile = z.object({ agents: z.array(AgentFile).max(1000) });

/** @throws WorkspaceError `invalid`, with what is wrong and where */
export function readAgentsYaml(text: string): AgentFile[] {
  const parsed = AgentsFile.safeParse(parsedYaml(text));
  if (!parsed.success) throw new WorkspaceError("invalid", `the agents' file: ${z.prettifyError(parsed.error)}`);
  const slugs = parsed.data.agents.map(({ slug }) => slug);
  const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (twice !== undefined) throw new WorkspaceError("invalid", `the agents' file has "${twice}" twice`);
  return parsed.data.agents;
}

function parsedYaml(text: string): unknown {
  try {
    // References to references to references make a small file large.
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new WorkspaceError("invalid", `the agents' file: ${messageOf(error)}`);
  }
}

/** The same agents always make the same text. */
export function writeAgentsYaml(agents: readonly Agent[]): string {
  const files = agents.map(fileOf).toSorted((one, other) => (one.slug < other.slug ? -1 : 1));
  return stringify({ agents: files }, { lineWidth: 0, blockQuote: "literal" });
}

/** Writes an agent as a file would have it. */
export function fileOf(agent: Agent): AgentFile {
  return AgentFile.parse(agent);
}

export type AgentDifference = { slug: string } & (
  | { change: "added" | "removed" }
  | { change: "changed"; fields: (keyof AgentConfig | "is_active" | "is_system")[] }
);

/** Finds the differences that make `after` of `before`. Pure. */
export function diffAgents(before: readonly AgentFile[], after: readonly AgentFile[]): AgentDifference[] {
  const [old, next] = [bySlug(before), bySlug(after)];
  const slugs = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return slugs.flatMap((slug): AgentDifference[] => {
    const [one, other] = [old.get(slug), next.get(slug)];
    if (!one) return [{ slug, change: "added" }];
    if (!other) return [{ slug, change: "removed" }];
    const names = Object.keys(AgentFile.shape) as (keyof AgentFile)[];
    const fields = names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
    return fields.length > 0 ? [{ slug, change: "changed", fields: fields as (keyof AgentConfig)[] }] : [];
  });
}

const bySlug = (agents: readonly AgentFile[]) => new Map(agents.map((agent) => [agent.slug, agent]));

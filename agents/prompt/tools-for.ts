/** Tools of an agent: the MCP server lets its runs use these and no others. Pure. */
import type { AgentDescriptor, AgentState } from "../../protocol/agents/agent-files.ts";
import { expandTools, packs } from "../../protocol/settings/packs.ts";
import type { PersonaSettings } from "../../protocol/settings/persona.ts";

/** The names in a persona's `tools` that stand for those of apps and external servers. */
export type ExternalPacks = Readonly<Record<string, readonly string[]>>;

type ToolsContext = {
  /** The tools of its persona. */
  tools: PersonaSettings["tools"];
  maxDepth: number;
  external: ExternalPacks;
};

/** The tools of a sub-agent whose persona names none: what any run has, and what it needs to report. */
const usualOfTask = ["journal", "basics"];

export function toolsFor(
  { kind }: Pick<AgentDescriptor, "kind">,
  { task }: Pick<AgentState, "task">,
  { tools, maxDepth, external }: ToolsContext,
): string[] {
  if (kind === "user") return ["reply", "current_time"];
  const depth = kind === "subagent" ? (task?.depth ?? 1) : 0;
  const maySpawn = (name: string) => depth < maxDepth || !packs["tasks"]?.includes(name);
  const named = tools === undefined ? null : expandTools(tools, external).names.filter(maySpawn);
  if (kind === "subagent") {
    const own = named ?? [...expandTools(usualOfTask.join(", ")).names, "notify"];
    // People hear of a task by the agent that has sent it off.
    return own.filter((name) => name !== "reply");
  }
  const voice = expandTools("voice").names;
  const all = [...voice, ...(named ?? expandTools("memory, tasks").names.filter(maySpawn))];
  // An agent that a clock wakes tells the one that people write to.
  return [...new Set(kind === "main" ? all : [...all, "send_agent_message"])];
}

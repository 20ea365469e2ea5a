/** Tools of an agent: the MCP server lets its runs use these and no others. Pure. */
import type { AgentDescriptor, AgentState } from "../../protocol/agents/agent-files.ts";
import { expandTools, packs, readOnlyTools } from "../../protocol/settings/packs.ts";

/** Tools beside the packs: those of apps and external servers. */
export type ExternalToolNames = { all: readonly string[]; readOnly: readonly string[] };

const work = ["files", "web", "journal", "todo", "facets", "entities", "memory", "background"];
const memoryWrites = ["memory_write", "memory_append"];

export function toolsFor(
  { kind }: Pick<AgentDescriptor, "kind">,
  { task }: Pick<AgentState, "task">,
  { maxDepth, external }: { maxDepth: number; external: ExternalToolNames },
): string[] {
  if (kind === "user") return ["reply", "current_time"];
  if (kind !== "subagent" || !task) {
    const spawns = maxDepth > 0 ? ["tasks"] : [];
    const { names } = expandTools(["voice", "memory", ...spawns].join(", "));
    // An agent that a clock wakes tells the one that people write to.
    return kind === "main" ? names : [...names, "send_agent_message"];
  }
  const all = [...expandTools(work.join(", ")).names, "current_time", "use_skill"];
  if (task.type === "general")
    return [...all, ...(task.depth < maxDepth ? (packs["tasks"] ?? []) : []), ...external.all];
  const reading = [...all.filter((name) => readOnlyTools.has(name)), ...external.readOnly];
  return task.type === "explore" ? reading : [...reading, ...memoryWrites];
}

/** The agents and tasks whose runs a report of costs is about, each of which is read once. */
import { owningAgents, taskNames } from "./owning-agent.ts";

export function costOwners(journal: string) {
  const owners = owningAgents(journal);
  const tasks = taskNames(journal);
  const nameOf = (by: string, name: string): string | undefined => {
    if (by === "task") return tasks(name);
    return by === "agent" ? owners(name)?.name : undefined;
  };
  return {
    agentOf: (agent: string) => owners(agent)?.id ?? agent,
    isTask: (agent: string) => tasks(agent) !== undefined,
    /** The name of what a row is about; undefined: it has none but its own. */
    nameOf,
  };
}

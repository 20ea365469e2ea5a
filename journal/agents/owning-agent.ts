/** The long-lived agent of a turn: the one that had it, or the one whose task had it. */
import { readDescriptor } from "./agent-files.ts";

export type OwningAgent = { id: string; name: string };

/** So many parents of a task are walked. */
const deepestTask = 20;

/** Asks for agents, each of which is read once. Null: it can't be read. */
export function owningAgents(journal: string): (agent: string) => OwningAgent | null {
  const known = new Map<string, OwningAgent | null>();
  const find = (agent: string, depth: number): OwningAgent | null => {
    const before = known.get(agent);
    if (before !== undefined) return before;
    const found = read(agent, depth);
    known.set(agent, found);
    return found;
  };
  const read = (agent: string, depth: number): OwningAgent | null => {
    try {
      const { id, name, kind, parent } = readDescriptor(journal, agent);
      if (kind !== "subagent" || parent === undefined || depth >= deepestTask) return { id, name: name ?? kind };
      return find(parent, depth + 1);
    } catch {
      return null;
    }
  };
  return (agent) => find(agent, 0);
}

/** Asks what tasks are called, each of which is read once. Undefined: it is no task, or can't be read. */
export function taskNames(journal: string): (agent: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (agent) => {
    if (!known.has(agent)) known.set(agent, nameOfTask(journal, agent));
    return known.get(agent);
  };
}

function nameOfTask(journal: string, agent: string): string | undefined {
  try {
    const { kind, name } = readDescriptor(journal, agent);
    return kind === "subagent" ? (name ?? kind) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an agent speaks to an owner, as does a task of such a one; the others speak to strangers. One that can't be read doesn't. */
export function isOwnersAgent(journal: string, agent: string, depth = 0): boolean {
  try {
    const { kind, parent } = readDescriptor(journal, agent);
    if (kind !== "subagent") return kind !== "user";
    return parent !== undefined && depth < deepestTask && isOwnersAgent(journal, parent, depth + 1);
  } catch {
    return false;
  }
}

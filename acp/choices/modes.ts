/** The modes of a session: each persona, and each long-lived agent that the owner talks to. */
import { loadPersonas } from "../../personas/load.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { askAgents } from "../base/ask-agents.ts";

export type Mode = { id: string; name: string; description?: string };

export type Modes = { personas: Mode[]; agents: Mode[] };

const prefix = "agent/";

/** The agent that terminals talk to: it is made when somebody first speaks to it. */
const mainMode = `${prefix}main`;

/** Whether a mode is a long-lived agent. */
export const isAgent = (mode: string): boolean => mode.startsWith(prefix);

/** The id of a mode's agent; undefined: the one that terminals talk to. */
export const agentOfMode = (mode: string): string | undefined =>
  mode === mainMode ? undefined : mode.slice(prefix.length);

type AgentRow = { agent_id: string; kind: string; name: string; called?: string; title?: string };

/** @throws NothingRunsError, NoAgentsError */
export async function modesOf(deps: Pick<AcpDeps, "journal" | "owner">): Promise<Modes> {
  const [{ agents }, { agent_id: main }] = await Promise.all([
    askAgents(deps, "agents list"),
    askAgents(deps, "agents find", { channel: { type: "cli", channelId: "main" } }),
  ]);
  return { personas: personaModes(deps.journal), agents: agentModes(agents as AgentRow[], String(main)) };
}

function personaModes(journal: string): Mode[] {
  return [...loadPersonas(journal).personas.values()]
    .filter(({ settings }) => settings.disabled !== true)
    .map(({ name, settings: { title, description } }) => ({
      id: name,
      name: title ?? name,
      ...(description !== undefined && { description }),
    }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function agentModes(rows: readonly AgentRow[], main: string): Mode[] {
  const own = rows.find(({ agent_id }) => agent_id === main);
  const others = rows.filter(({ agent_id, kind }) => agent_id !== main && kind !== "subagent");
  return [
    { id: mainMode, name: own?.called ?? "main", description: "Your own agent: it remembers, and goes on by itself." },
    ...others.map(({ agent_id, name, called, title }) => ({
      id: `${prefix}${agent_id}`,
      name: called ?? name,
      ...(title !== undefined && { description: title }),
    })),
  ];
}

/** The models of the door: `cortex/<persona>` and `agent/<id or name>`. They can't be taken for each other, nor for a provider's. */
import { askAgents } from "../journal/access/agents-service.ts";
import { pageChannel } from "../journal/access/tell-companion.ts";
import { listPersonas } from "../journal/personas/personas.ts";
import type { Machine } from "../machine/machine.ts";
import { OpenAiError } from "./requests/openai-error.ts";

type Deps = Pick<Machine, "journal" | "bus">;

/** A persona, whose answer is a run of its own, or a long-lived agent, by its id. `isMade`: somebody has spoken to it. */
export type DoorModel = { kind: "persona"; name: string } | { kind: "agent"; id: string; isMade: boolean };

type AgentRow = { agent_id: string; kind: string; name: string; called?: string };

/** The agent of the owner: it is made when somebody first speaks to it. */
const mainAgent = "main";

/** The ids of all models, personas first. An agent whose name another one has is listed by its id. */
export async function modelIds(deps: Deps): Promise<string[]> {
  const agents = await conversing(deps);
  const named = agents.map(({ agent_id, name }) =>
    agents.filter((other) => other.name === name).length === 1 ? name : agent_id,
  );
  const personas = personaNames(deps).map((name) => `cortex/${name}`);
  return [...personas, ...new Set([mainAgent, ...named])].map((id) => (id.includes("/") ? id : `agent/${id}`));
}

/** A model as the API tells it. Nobody made it at a certain time. */
export const modelObject = (id: string) => ({ id, object: "model", created: 0, owned_by: "cortex" });

/** @throws OpenAiError 404 for a model that there isn't */
export async function findModel(deps: Deps, model: string): Promise<DoorModel> {
  const [kind = "", ...names] = model.split("/");
  const name = names.join("/");
  if (kind === "cortex" && personaNames(deps).includes(name)) return { kind: "persona", name };
  const agent = kind === "agent" ? await findAgent(deps, name) : null;
  if (agent !== null) return { kind: "agent", ...agent };
  throw new OpenAiError(
    404,
    `model: there is no "${model.slice(0, 200)}": cortex/<persona> and agent/<name> are in GET /v1/models`,
    { param: "model", code: "model_not_found" },
  );
}

const personaNames = (deps: Deps): string[] =>
  listPersonas(deps)
    .items.filter(({ problem, disabled }) => problem === null && !disabled)
    .map(({ name }) => name);

async function conversing(deps: Deps): Promise<AgentRow[]> {
  const { agents } = await askAgents(deps, "agents list");
  return (agents as AgentRow[]).filter(({ kind }) => kind !== "subagent");
}

/** @throws OpenAiError 400 for a name that several have */
async function findAgent(deps: Deps, name: string): Promise<{ id: string; isMade: boolean } | null> {
  const agents = await conversing(deps);
  const found =
    agents.find(({ agent_id }) => agent_id === name) ??
    alone(
      name,
      agents.filter((agent) => agent.name === name || agent.called === name),
    );
  if (found) return { id: found.agent_id, isMade: true };
  if (name !== mainAgent) return null;
  const { agent_id } = await askAgents(deps, "agents find", { channel: pageChannel });
  return { id: String(agent_id), isMade: false };
}

function alone(name: string, agents: readonly AgentRow[]): AgentRow | undefined {
  if (agents.length < 2) return agents[0];
  const ids = agents.map(({ agent_id }) => `agent/${agent_id}`).join(", ");
  throw new OpenAiError(400, `model: several agents are called "${name}": name one of ${ids}`, { param: "model" });
}

/** What a turn asks of cortex: the same for the same agent, so that what the provider has cached stays of use. */
import { isStranger } from "../journal/channels/known-people.ts";
import type { AgentState } from "../protocol/agents/agent-files.ts";
import type { Request } from "../protocol/runs/request.ts";
import type { Agent } from "./agent.ts";
import type { AgentHost } from "./host.ts";
import { spentAtMost } from "./spent-today.ts";
import { strangerLimits } from "./strangers.ts";
import { toolsFor } from "./tools-for.ts";

/** People wait for it: it starts before what runs by itself. */
const priority = 20;

/** From the contract: only the main agent may send others off. */
const usualDepth = 1;

export async function requestOf(agent: Agent, prompt: string): Promise<Request> {
  const { host, state, descriptor } = agent;
  const maxDepth = host.settings().agents?.max_depth ?? usualDepth;
  const tools = toolsFor(descriptor, state, { maxDepth, outside: await host.outside() });
  return {
    prompt,
    persona: personaOf(agent),
    instruction: instructionOf(agent),
    tools,
    agent: descriptor.id,
    priority,
    stream: true,
    ...(state.last_run !== undefined && { continue_from: state.last_run }),
    ...limitsOfTask(agent),
    ...limitOfDay(agent),
    ...limitOfStranger(agent),
  };
}

/** Whose settings (backend, model, limits) an agent's turns have. */
export const personaOf = ({ descriptor: { kind, name } }: Pick<Agent, "descriptor">) =>
  kind === "subagent" ? "task" : kind === "main" ? (name ?? "main") : "main";

function instructionOf(agent: Agent): string {
  const { host, state, descriptor } = agent;
  if (descriptor.kind === "user") return host.promptsOf("main").stranger;
  return state.task ? host.promptsOf("main").tasks[state.task.type] : host.promptsOf(personaOf(agent)).main;
}

/** What its parent gave it, where its own persona doesn't say less. */
function limitsOfTask(agent: Agent): Record<string, number> {
  const own: Record<string, unknown> = agent.host.persona(personaOf(agent))?.settings ?? {};
  return Object.fromEntries(
    Object.entries(agent.state.task?.limits ?? {}).map(([name, given]) => {
      const { [name]: most } = own;
      return [name, typeof most === "number" ? Math.min(most, given) : given];
    }),
  );
}

/** What an agent that is woken by a clock may still cost today, its tasks counted; one that the settings no longer name, nothing. */
function limitOfDay({ host, state, descriptor: { id, kind, name = "" } }: Agent): { max_cost_usd?: number } {
  if (kind !== "heartbeat" && kind !== "cron") return {};
  const { agents } = host.settings();
  const most = (kind === "heartbeat" ? agents?.heartbeat : agents?.cron?.[name])?.max_cost_usd_per_day ?? 0;
  const tasks = allTasksOf(host, id);
  const spent = [state, ...tasks].reduce((sum, one) => sum + spentAtMost(one, host.timeZone), 0);
  // What those have that are at work is as good as spent.
  const atWork = tasks.flatMap(({ task }) => (task?.state === "running" ? [task.limits?.["max_cost_usd"] ?? 0] : []));
  const given = atWork.reduce((sum, usd) => sum + usd, 0);
  return { max_cost_usd: Math.max(0, most - spent - given) };
}

/** What a stranger's answers may still use today: the message that comes to its limit ends there. */
function limitOfStranger({ host, descriptor }: Agent): { max_total_tokens?: number } {
  const { agents, channels } = host.settings();
  const { connector: type = "", userId = "" } = descriptor;
  if (descriptor.kind !== "user" || !isStranger({ type, userId }, new Set(), channels)) return {};
  const limits = strangerLimits(agents?.strangers);
  const { own, all } = host.tokensOfStrangers(type, userId);
  return { max_total_tokens: Math.max(0, Math.min(limits.tokens_per_day - own, limits.total_tokens_per_day - all)) };
}

/** Those that it has sent off, and those that these have. */
function allTasksOf(host: AgentHost, id: string): AgentState[] {
  return host.tasksOf(id).flatMap((task) => [task.state, ...allTasksOf(host, task.id)]);
}

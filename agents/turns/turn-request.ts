/** The request of a turn: the same for the same agent, so that the provider's cache stays useful. */
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { personaOf } from "../record/persona-of.ts";
import { placeFields } from "../record/work-place.ts";
import { spentAtMost } from "../record/daily-usage.ts";
import { speaksToStranger, strangerLimits } from "../inbox/stranger-limits.ts";
import { toolsFor } from "../prompt/tools-for.ts";

/** Priority of a turn: people wait for it, so it starts before scheduled runs. */
const priority = 20;

/** From docs/contract.md: only the main agent may spawn sub-agents. */
export const usualDepth = 1;

/** The request of a turn but for its prompt. */
export async function requestOf(agent: AgentRecord): Promise<Omit<Request, "prompt"> & { tools: string[] }> {
  const { deps, state, descriptor, history } = agent;
  const maxDepth = deps.settings().agents?.max_depth ?? usualDepth;
  const persona = personaOf(agent);
  const { tools: named } = deps.personas.get(persona)?.settings ?? {};
  const tools = toolsFor(descriptor, state, { tools: named, maxDepth, external: await deps.prompts.externalTools() });
  return {
    persona,
    instruction: instructionOf(agent, tools),
    tools,
    ...(state.chosen_model !== undefined && { model: state.chosen_model }),
    agent: descriptor.id,
    priority,
    stream: true,
    // A worker that has no such history goes on from the files of its runs.
    ...(state.last_run !== undefined && { continue_from: state.last_run }),
    ...((state.last_run !== undefined || history.records[0]?.type === "compact") && { agent_history: true }),
    ...placeFields(agent),
    ...limitsOfTask(agent),
    ...limitOfDay(agent),
    ...limitOfStranger(agent),
  };
}

function instructionOf(agent: AgentRecord, tools: readonly string[]): string {
  const { deps, state, descriptor } = agent;
  if (descriptor.kind === "user") return deps.prompts.of("main", tools).stranger;
  if (state.task) return deps.prompts.of("main", []).task(deps.personas.get(personaOf(agent)));
  return deps.prompts.of(personaOf(agent), tools).main;
}

/** Limits that the parent gave a task, where its own persona's aren't smaller. */
function limitsOfTask(agent: AgentRecord): Record<string, number> {
  const own: Record<string, unknown> = agent.deps.personas.get(personaOf(agent))?.settings ?? {};
  return Object.fromEntries(
    Object.entries(agent.state.task?.limits ?? {}).map(([name, given]) => {
      const { [name]: most } = own;
      return [name, typeof most === "number" ? Math.min(most, given) : given];
    }),
  );
}

/**
 * Computes the cost that an agent that a clock wakes may still cause today, its tasks included; nothing, if the
 * settings no longer name it.
 */
function limitOfDay(agent: AgentRecord): { max_cost_usd?: number } {
  const { deps, state, descriptor } = agent;
  const { kind, name = "" } = descriptor;
  if (kind !== "heartbeat" && kind !== "cron") return {};
  const { agents } = deps.settings();
  const most = (kind === "heartbeat" ? agents?.heartbeat : agents?.cron?.[name])?.max_cost_usd_per_day ?? 0;
  const tasks = statesOfTasks(agent);
  const spent = [state, ...tasks].reduce((sum, one) => sum + spentAtMost(one, deps.timeZone), 0);
  // The limits of tasks at work are as good as spent.
  const atWork = tasks.flatMap(({ task }) => (task?.state === "running" ? [task.limits?.["max_cost_usd"] ?? 0] : []));
  const given = atWork.reduce((sum, usd) => sum + usd, 0);
  return { max_cost_usd: Math.max(0, most - spent - given) };
}

/** Computes the tokens that the answers to a stranger may still use today; a turn that reaches them ends there. */
function limitOfStranger(agent: AgentRecord): { max_total_tokens?: number } {
  if (!speaksToStranger(agent)) return {};
  const { deps, index, descriptor } = agent;
  const limits = strangerLimits(deps.settings().agents?.strangers);
  const { own, all } = index.tokensOfStrangers(descriptor.connector ?? "", descriptor.userId ?? "");
  return { max_total_tokens: Math.max(0, Math.min(limits.tokens_per_day - own, limits.total_tokens_per_day - all)) };
}

/** States of an agent's tasks, and of theirs. */
function statesOfTasks({ tasks }: AgentRecord): AgentState[] {
  return tasks.flatMap((task) => [task.state, ...statesOfTasks(task)]);
}

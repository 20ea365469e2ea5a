/** Commands that people say in a channel, or type at the terminal: each is carried out at once, beside the agent's turns, and answered in words. */
import { conversationText } from "../protocol/agents/conversation-text.ts";
import { type SaidOrder, saidCommands } from "../protocol/agents/said-commands.ts";
import { spentText } from "../protocol/agents/spent-text.ts";
import { contextLimits } from "./turns/context-size.ts";
import { shownAccounts } from "./record/accounts.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { shownSpending } from "./record/daily-usage.ts";
import type { AgentWorkers } from "./workers.ts";

/** Names of models as providers write them. */
const modelPattern = /^[\w.:/@[\]-]{1,100}$/;

/** The word that goes back to the model of the persona or the settings. */
const usual = "default";

const ownersOnly = "Only an owner may ask for that here.";

type SaidDeps = { workers: AgentWorkers };

/**
 * Carries a command out. After a kill it may be carried out again: nothing else of its channel was taken in between.
 * @param isOwner whether an owner says it: money and models are theirs
 */
export async function carryOut(
  { workers }: SaidDeps,
  agent: AgentRecord,
  { command, argument }: SaidOrder,
  isOwner: boolean,
): Promise<string> {
  switch (command) {
    case "new":
      await workers.of(agent).reset();
      return "The conversation begins anew.";
    case "stop":
      return (await workers.of(agent).stop()) ? "Stopped." : "Nothing is running.";
    case "status":
      return statusText(agent);
    case "usage":
      return isOwner ? usageText(agent) : ownersOnly;
    case "model":
      return isOwner ? chooseModel(agent, argument) : ownersOnly;
    case "help":
      return Object.entries(saidCommands)
        .map(([name, what]) => `/${name}: ${what}`)
        .join("\n");
  }
}

function statusText(agent: AgentRecord): string {
  const { turn } = agent.state;
  const answered = new Set(turn?.items);
  const waiting = agent.inbox.waiting.filter(({ id, silent }) => !silent && !answered.has(id)).length;
  const waits = waiting === 0 ? "nothing waits" : waiting === 1 ? "1 message waits" : `${waiting} messages wait`;
  return `${turn ? "At work" : "Idle"}, ${waits}. ${modelText(agent)}`;
}

function usageText(agent: AgentRecord): string {
  const { deps, state } = agent;
  const { window } = contextLimits(deps.settings().agents, state.context_window);
  return [
    `This conversation: ${conversationText(shownAccounts(agent))}.`,
    `Context: ${state.context_tokens} of ${window} tokens.`,
    `Today: ${spentText(shownSpending(state, deps.timeZone))}.`,
  ].join("\n");
}

async function chooseModel(agent: AgentRecord, wanted: string): Promise<string> {
  if (wanted === "") return modelText(agent);
  if (!modelPattern.test(wanted)) return `"${wanted.slice(0, 100)}" is no name of a model.`;
  const isUsual = wanted.toLowerCase() === usual;
  await agent.update({ chosen_model: isUsual ? undefined : wanted });
  return isUsual
    ? "From the next message on its usual model answers."
    : `From the next message on ${wanted} answers; /model ${usual} goes back.`;
}

function modelText({ state: { provider, chosen_model } }: AgentRecord): string {
  const { model, backend } = provider;
  const last =
    model === undefined ? "No model has answered yet." : `Model: ${model}${backend ? ` on ${backend}` : ""}.`;
  if (chosen_model === undefined || chosen_model === model) return last;
  return `${last} From the next message on: ${chosen_model}.`;
}

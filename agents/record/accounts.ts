/**
 * Accounts of a conversation: what was said in it, what it has used, and what it is called. They begin when it does: a reset
 * begins at nothing, a compaction goes on. A turn is added to them in the same write that ends it, so that a kill counts
 * nothing twice; they need none of the turns' runs any more.
 */
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { isCostKnown, nothingSpent, type Spent } from "../../protocol/runs/spent.ts";
import type { AgentRecord } from "./agent-record.ts";

type Accounts = NonNullable<AgentState["accounts"]>;

const nothing: Accounts = {
  messages: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  untold_calls: 0,
  unpriced_tokens: 0,
};

/** Adds what was used, and messages. */
export function withUsage(before: Accounts | undefined, spent: Spent, messages = 0): Accounts {
  const more: Accounts = { ...nothing, ...before };
  return {
    messages: more.messages + messages,
    input_tokens: more.input_tokens + spent.input_tokens,
    output_tokens: more.output_tokens + spent.output_tokens,
    cost_usd: more.cost_usd + spent.cost_usd,
    untold_calls: more.untold_calls + spent.untold_calls,
    unpriced_tokens: more.unpriced_tokens + spent.unpriced_tokens,
  };
}

/** The state of a conversation that begins anew. A task keeps its accounts: its cost stands in those of the agent that sent it off. */
export function newConversation({ descriptor: { kind } }: Pick<AgentRecord, "descriptor">): Partial<AgentState> {
  return kind === "subagent" ? {} : { title: undefined, naming: undefined, accounts: undefined };
}

/** The messages of people that a turn has answered: those of its items, and those that were steered into it. */
export function messagesOfPeople({ history }: AgentRecord, items: readonly string[]): number {
  const answered = new Set(items);
  const said = history.records.filter(({ type }) => type === "user");
  return said.flatMap((record) => idsOf(record)).filter((id) => answered.has(id)).length;
}

function idsOf(record: { id: string; items?: unknown }): string[] {
  return Array.isArray(record.items) ? record.items.map(String) : [record.id];
}

/** The tasks that an agent has sent off. */
export type TasksOf = (agent: AgentRecord) => readonly AgentRecord[];

/** Finds the tasks of many agents, whose directory is walked once. */
export function tasksIn(all: readonly AgentRecord[]): TasksOf {
  const byParent = Map.groupBy(all, ({ descriptor }) => descriptor.parent);
  return ({ id }) => byParent.get(id) ?? [];
}

/** Accounts as commands show them. The cost is null where part of it isn't known. */
export function shownAccounts(agent: AgentRecord, tasksOf: TasksOf = ({ tasks }) => tasks) {
  const { messages, input_tokens, output_tokens } = { ...nothing, ...agent.state.accounts };
  const all = withTasks(agent, tasksOf);
  const known = Math.round(all.cost_usd * 1e9) / 1e9;
  return {
    title: agent.state.title ?? null,
    messages,
    input_tokens,
    output_tokens,
    cost_usd: isCostKnown({ ...nothingSpent, ...all }) ? known : null,
    known_cost_usd: known,
  };
}

/** Usage of a conversation, with that of the tasks that it has sent off, and of theirs. */
function withTasks(agent: AgentRecord, tasksOf: TasksOf): Accounts {
  const own = { ...nothing, ...agent.state.accounts };
  // Those of the conversation before a reset stay with that.
  const tasks = tasksOf(agent).filter(({ descriptor }) => descriptor.created >= (agent.state.conversation ?? 0));
  return tasks
    .map((task) => withTasks(task, tasksOf))
    .reduce((sum, task) => withUsage(sum, { ...nothingSpent, ...task }), own);
}

/** Characters of a title. */
const longestTitle = 80;

/** Lines that are looked at, more than a title has characters. */
const mostLines = 100;

/** A title that is the first words that were said: one line, without the mark of where they came from. */
export function firstWords(text: string): string {
  const [first = "", ...others] = text.split("\n", mostLines);
  const lines = first.startsWith("[channel: ") ? others : [first, ...others];
  return titleOf(lines.join("\n").slice(0, 4 * longestTitle));
}

/** One line of at most so many characters, cut between words where there are some. */
export function titleOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  if (line.length <= longestTitle) return line;
  const cut = line
    .slice(0, longestTitle - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const blank = cut.lastIndexOf(" ");
  return `${blank > longestTitle / 2 ? cut.slice(0, blank) : cut}…`;
}

/** The title of a conversation that has none yet; nothing where nobody has said anything in it. */
export function firstTitle({ history, state }: AgentRecord): Pick<AgentState, "title"> {
  if (state.title !== undefined) return {};
  const first = history.records.find(({ type }) => type === "user");
  const title = first && "text" in first ? firstWords(String(first.text)) : "";
  return title === "" ? {} : { title };
}

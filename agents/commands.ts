/** What a user at this machine may do with agents: look, reset, compact, resume, pair, decide. */
import { cutStrings } from "../protocol/json/cut-strings.ts";
import type { AgentState, HistoryRecord } from "../protocol/agents/agent-files.ts";
import type { AgentAnswer, AgentCommand } from "../protocol/agents/agent-call.ts";
import { Channel } from "../protocol/agents/channel.ts";
import { channelTypes } from "../protocol/agents/agents-settings.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Agent } from "./agent.ts";
import { agentIdOf } from "./agent-id.ts";
import { compact } from "./compaction.ts";
import { contextLimits } from "./context-size.ts";
import type { Directory } from "./directory.ts";
import { type KnownPersonas, whyNoPersona } from "./known-personas.ts";
import type { Owners } from "./owners.ts";
import type { Permissions } from "./permissions.ts";
import { agentFor } from "./speaker.ts";
import { shownSpending } from "./spent-today.ts";
import { replayOf, resumeTask, taskRow, tasksOf } from "./tasks.ts";

export type CommandParts = {
  directory: Directory;
  owners: Owners;
  permissions: Permissions;
  settings: () => Settings;
  personas: KnownPersonas;
};

/** What can't be done, for the user to read. */
class RefusedError extends Error {
  override name = "RefusedError";
}

/** Carries a command out. */
export async function answerCommand(parts: CommandParts, { command, args }: AgentCommand): Promise<AgentAnswer> {
  const action = Object.hasOwn(actions, command) ? actions[command] : undefined;
  if (!action) return { ok: false, error: `there is no command ${command}` };
  try {
    return { ok: true, result: await action(parts, args) };
  } catch (error) {
    if (error instanceof RefusedError) return { ok: false, error: error.message };
    throw error;
  }
}

/** Of agents and tasks, the newest: an answer is one message of the bus. */
const mostRows = 1000;

type Args = Record<string, unknown>;

const actions: Record<string, (parts: CommandParts, args: Args) => Promise<Record<string, unknown>>> = {
  "agents list": async ({ directory }) => ({
    agents: directory.all
      .filter(({ descriptor }) => descriptor.kind !== "subagent")
      .toSorted((a, b) => b.state.updated - a.state.updated)
      .slice(0, mostRows)
      .map(rowOf),
  }),
  "agents show": async ({ directory }, args) => {
    const agent = found(directory, args);
    const { descriptor, history } = agent;
    return { agent: rowOf(agent), descriptor, state: shownState(agent.state), history: newest(history.records) };
  },
  "agents reset": async ({ directory }, args) => {
    const agent = found(directory, args);
    await agent.reset();
    return { agent_id: agent.id };
  },
  "agents compact": async ({ directory }, args) => {
    const agent = found(directory, args);
    if (agent.state.last_run === undefined) throw new RefusedError(`${agent.id} has no conversation yet`);
    const done = await agent.alone(() => compact(agent));
    if (!done) throw new RefusedError(`${agent.id} is at work: wait for the end of its turn`);
    const { failure } = done;
    if (failure !== null) throw new RefusedError(`not compacted, and nothing is lost: ${failure}`);
    return { agent_id: agent.id, context_tokens: agent.state.context_tokens };
  },
  "agents stop": async ({ directory }, args) => ({ stopped: await found(directory, args).stop() }),
  /** The agent to whom a channel speaks. */
  "agents find": async ({ directory, owners, settings, personas }, args) => {
    const channel = Channel.parse(args["channel"]);
    const persona = typeof args["persona"] === "string" ? args["persona"] : undefined;
    const why = persona === undefined ? null : whyNoPersona(persona, personas);
    if (why !== null) throw new RefusedError(why);
    const id = agentIdOf(agentFor(channel, owners.all, settings().agents, persona).key);
    const agent = directory.get(id);
    return { agent_id: id, ...(agent && { agent: rowOf(agent) }) };
  },
  "tasks list": async ({ directory }, args) => ({
    tasks: tasksOf(directory, null, typeof args["day"] === "string" ? args["day"] : undefined)
      .slice(0, mostRows)
      .map(taskRow),
  }),
  "tasks show": async ({ directory }, args) => {
    const task = foundTask(directory, args);
    return { task: taskRow(task), conversation: replayOf(task) };
  },
  "tasks resume": async ({ directory }, args) => {
    const task = foundTask(directory, args);
    const input = args["input"];
    if (typeof input !== "string" || input.trim() === "") throw new RefusedError("there is nothing to tell it");
    const id = `command-${Date.now()}`;
    return resumeTask(task, id, input, null);
  },
  pair: async ({ owners }, args) => {
    const { code } = args;
    if (typeof code !== "string") return { code: owners.offer() };
    const identity = await owners.confirm(code);
    if (identity === null) throw new RefusedError(`nobody was given the code ${code}, or it has run out`);
    return { owner: identity };
  },
  "permissions list": async ({ permissions }) => ({ permissions: permissions.all }),
  "permissions decide": async ({ permissions }, args) => {
    const { token, decision } = args;
    if (typeof token !== "string" || (decision !== "allow" && decision !== "deny"))
      throw new RefusedError("expected a token, and allow or deny");
    const matching = permissions.all.filter((asked) => asked.token.startsWith(token));
    const [asked, ...more] = matching;
    if (!asked) throw new RefusedError(`there is no question "${token}": see cortex permissions list`);
    if (more.length > 0) throw new RefusedError(`"${token}" begins several tokens: give more of it`);
    const isFirst = await permissions.settle(asked.token, decision);
    if (!isFirst) throw new RefusedError(`this was decided before: ${asked.decision}`);
    return { token: asked.token, decision };
  },
};

function rowOf({ id, descriptor, state, inbox, host }: Agent) {
  const { window } = contextLimits(host.settings().agents, state.context_window);
  return {
    agent_id: id,
    kind: descriptor.kind,
    name: descriptor.name ?? descriptor.kind,
    ...(descriptor.connector !== undefined && { connector: descriptor.connector }),
    ...(descriptor.channelId !== undefined && { channelId: descriptor.channelId }),
    ...(descriptor.userId !== undefined && { userId: descriptor.userId }),
    state: state.turn ? "working" : inbox.waiting.some(({ silent }) => !silent) ? "waiting" : "idle",
    ...(state.turn && { run_id: state.turn.run_id }),
    waiting: inbox.waiting.length,
    created: descriptor.created,
    updated: state.updated,
    backend: state.provider.backend ?? null,
    model: state.provider.model ?? null,
    context_tokens: state.context_tokens,
    context_window: window,
    ...shownSpending(state, host.timeZone),
    channels: channelTypes(host.settings().channels),
  };
}

/** Of its history, what an answer has room for: each record in characters, and all of them. */
const longestRecord = 16_000;
const longestHistory = 256_000;

/** The newest records, long texts cut; all of it stands in history.jsonl. */
function newest(records: readonly HistoryRecord[]): HistoryRecord[] {
  let length = 0;
  const cut = records.slice(-200).map((record) => cutStrings(record, longestRecord));
  const first = cut.findLastIndex((record) => (length += JSON.stringify(record).length) > longestHistory) + 1;
  return cut.slice(first);
}

/** A state without what its turn asks: that is as long as all that was said. */
function shownState(state: AgentState): AgentState {
  return cutStrings(state, longestRecord);
}

/** An agent by its id, or the begin of it. */
function found({ all }: Directory, { agent_id: given }: Args): Agent {
  return foundIn(all, given, "agent", "agents");
}

/** A task by its id, or the begin of it. */
function foundTask({ all }: Directory, { agent_id: given }: Args): Agent {
  const tasks = all.filter(({ descriptor }) => descriptor.kind === "subagent");
  return foundIn(tasks, given, "task", "tasks");
}

function foundIn(known: readonly Agent[], given: unknown, what: string, command: string): Agent {
  if (typeof given !== "string" || given === "") throw new RefusedError(`which ${what}? See cortex ${command} list`);
  const matching = known.filter(({ id }) => id.startsWith(given));
  const [agent, ...more] = matching;
  if (!agent) throw new RefusedError(`there is no ${what} "${given}": see cortex ${command} list`);
  if (more.length > 0) throw new RefusedError(`"${given}" begins ${matching.length} ids: give more of it`);
  return agent;
}

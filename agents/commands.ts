/** Commands of the user at this machine: list, show, reset, compact, resume, pair, decide. */
import { cutStrings } from "../protocol/json/cut-strings.ts";
import { isRecord } from "../protocol/json/json-object.ts";
import type { AgentState, HistoryRecord } from "../protocol/agents/agent-files.ts";
import type { AgentAnswer, AgentCommand } from "../protocol/agents/agent-call.ts";
import { Channel } from "../protocol/agents/channel.ts";
import { channelTypes } from "../protocol/agents/agents-settings.ts";
import { shownAccounts, type TasksOf, tasksIn } from "./record/accounts.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { agentIdOf, type AgentKey } from "./record/agent-id.ts";
import { compactHistory } from "./turns/compaction.ts";
import { toolsFor } from "./prompt/tools-for.ts";
import { usualDepth } from "./turns/turn-request.ts";
import { contextLimits } from "./turns/context-size.ts";
import type { AgentDirectory } from "./record/directory.ts";
import { whyNoPersona } from "./inbox/known-personas.ts";
import type { AgentDeps } from "./record/agent-deps.ts";
import type { ServiceParts } from "./service-deps.ts";
import { routeToAgent } from "./inbox/access.ts";
import { personaOf } from "./record/persona-of.ts";
import { shownSpending } from "./record/daily-usage.ts";
import { DecisionError } from "./permissions/questions.ts";
import type { KeptQuestion } from "../protocol/permissions/call-question.ts";
import { sayNow, takeBack } from "./waiting-messages.ts";
import { saidOrderIn } from "../protocol/agents/said-commands.ts";
import { carryOut } from "./said-commands.ts";
import { replayOf, resumeTask, taskRow, tasksOf } from "./tasks/tasks.ts";

type CommandDeps = Pick<AgentDeps, "settings" | "personas" | "prompts"> &
  Pick<ServiceParts, "directory" | "workers" | "owners" | "questions">;

/** Refusal of a command, for the user to read. */
class CommandError extends Error {
  override name = "CommandError";
}

/** Carries a command out. */
export async function answerCommand(deps: CommandDeps, { command, args }: AgentCommand): Promise<AgentAnswer> {
  const action = Object.hasOwn(actions, command) ? actions[command] : undefined;
  if (!action) return { ok: false, error: `there is no command ${command}` };
  try {
    return { ok: true, result: await action(deps, args) };
  } catch (error) {
    if (error instanceof CommandError || error instanceof DecisionError) return { ok: false, error: error.message };
    throw error;
  }
}

/** Most rows of a list, the newest first: an answer is one message of the bus. */
const mostRows = 1000;

/** Messages that are shown of those that wait, and characters of each. */
const [mostWaiting, longestWaiting] = [50, 500];

type Args = Record<string, unknown>;

const actions: Record<string, (deps: CommandDeps, args: Args) => Promise<Record<string, unknown>>> = {
  "agents list": async ({ directory: { all } }) => {
    const tasksOf = tasksIn(all);
    const agents = all
      .filter(({ descriptor }) => descriptor.kind !== "subagent")
      .toSorted((a, b) => b.state.updated - a.state.updated)
      .slice(0, mostRows)
      .map((agent) => rowOf(agent, tasksOf));
    return { agents };
  },
  "agents show": async ({ directory }, args) => {
    const agent = found(directory, args);
    const { descriptor, history, inbox } = agent;
    const waiting = inbox.waiting.map(({ id, type, text }) => ({ id, type, text: text.slice(0, longestWaiting) }));
    const shown = { agent: rowOf(agent), descriptor, state: shownState(agent.state) };
    return { ...shown, waiting: waiting.slice(0, mostWaiting), history: newest(history.records) };
  },
  "agents reset": async ({ directory, workers }, args) => {
    const agent = found(directory, args);
    await workers.of(agent).reset();
    return { agent_id: agent.id };
  },
  "agents compact": async ({ directory, workers }, args) => {
    const agent = found(directory, args);
    if (agent.state.last_run === undefined) throw new CommandError(`${agent.id} has no conversation yet`);
    const done = await workers.of(agent).runBetweenTurns(() => compactHistory(agent));
    if (!done) throw new CommandError(`${agent.id} is at work: wait for the end of its turn`);
    const { failure } = done;
    if (failure !== null) throw new CommandError(`not compacted, and nothing is lost: ${failure}`);
    return { agent_id: agent.id, context_tokens: agent.state.context_tokens };
  },
  "agents take-back": async ({ directory }, args) => {
    const item = itemArg(args);
    if (!(await takeBack(found(directory, args), item))) throw new CommandError(noLongerWaits);
    return { item };
  },
  "agents say-now": async ({ directory }, args) => {
    const item = itemArg(args);
    if (!(await sayNow(found(directory, args), item))) throw new CommandError(noLongerWaits);
    return { item };
  },
  /** A command of channels, typed at the terminal: for an agent by its id, or as a channel's messages find theirs. */
  "agents order": async (deps, args) => {
    const { directory, workers } = deps;
    const order = saidOrderIn(typeof args["text"] === "string" ? args["text"] : "");
    if (order === null) throw new CommandError("there is no such command: /help lists them");
    const agent =
      args["channel"] === undefined ? found(directory, args) : await directory.findOrCreate(keyOfSender(deps, args));
    return { text: await carryOut({ workers }, agent, order, true) };
  },
  "agents stop": async ({ directory, workers }, args) => ({ stopped: await workers.of(found(directory, args)).stop() }),
  /** The agent that the messages of a channel go to. */
  "agents find": async (deps, args) => {
    const id = agentIdOf(keyOfSender(deps, args));
    const agent = deps.directory.get(id);
    return { agent_id: id, ...(agent && { agent: rowOf(agent) }) };
  },
  /** Shows the prompts of a persona's agents. */
  "prompts show": async ({ personas, prompts, settings }, args) => {
    const persona = typeof args["persona"] === "string" ? args["persona"] : "main";
    const why = whyNoPersona(persona, personas);
    if (why !== null) throw new CommandError(why);
    const maxDepth = settings().agents?.max_depth ?? usualDepth;
    const named = personas.get(persona)?.settings.tools;
    const tools = toolsFor({ kind: "main" }, {}, { tools: named, maxDepth, external: await prompts.externalTools() });
    const { main: owner, stranger } = prompts.of(persona, tools);
    return { tools, owner, stranger, task: prompts.of("main", []).task(personas.get(persona)) };
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
    if (typeof input !== "string" || input.trim() === "") throw new CommandError("there is nothing to tell it");
    const id = `command-${Date.now()}`;
    return resumeTask(task, id, input, null);
  },
  pair: async ({ owners }, args) => {
    const { code } = args;
    if (typeof code !== "string") return { code: owners.offerCode() };
    const identity = await owners.confirmCode(code);
    if (identity === null) throw new CommandError(`nobody was given the code ${code}, or it has expired`);
    return { owner: identity };
  },
  "permissions list": async ({ questions }) => ({
    permissions: questions.kept.open.map(questionRow).slice(0, mostRows),
  }),
  "permissions show": async ({ questions }, args) => {
    const { id, rules } = await foundQuestion(questions, args["id"]);
    return { id, rules };
  },
  "permissions decide": async ({ questions }, args) => {
    const { decision } = args;
    if (decision !== "allow" && decision !== "deny") throw new CommandError("expected allow or deny");
    const { id } = await foundQuestion(questions, args["id"]);
    const always = args["always"] === true;
    const by = args["from"] === "web" ? "web:owner" : "cli:main";
    const [reason, request] = [textArg(args["reason"]), textArg(args["request"])];
    const isFirst = await questions.decide(id, decision, by, { always, reason, request });
    if (!isFirst) throw new CommandError(`this was decided before: ${whatWas(questions.kept.get(id))}`);
    return { id, decision, ...(always && { always }) };
  },
};

/** The key of the agent to which messages from `channel` go, of the persona that is asked for. */
function keyOfSender({ owners, settings, personas }: CommandDeps, args: Args): AgentKey {
  const channel = Channel.parse(args["channel"]);
  const persona = typeof args["persona"] === "string" ? args["persona"] : undefined;
  const why = persona === undefined ? null : whyNoPersona(persona, personas);
  if (why !== null) throw new CommandError(why);
  return routeToAgent(channel, owners.all, settings().agents, persona).key;
}

const noLongerWaits = "this message doesn't wait any more: it is being answered, or was";

function itemArg({ item }: Args): string {
  if (typeof item === "string" && item !== "") return item;
  throw new CommandError("item is missing: give the id of a message that waits");
}

const textArg = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const whatWas = (question: KeptQuestion | undefined) => `${question?.decision} by ${question?.by}`;

const questionRow = ({ id, run, agent, tool, args, why, expires, loop, rules }: KeptQuestion) => ({
  id,
  agent_id: run,
  tool,
  args,
  why,
  expires,
  rules,
  ...(loop && { loop }),
  ...(agent !== undefined && { agent }),
});

/** A question by its id, or the begin of it. */
async function foundQuestion(questions: CommandDeps["questions"], given: unknown): Promise<KeptQuestion> {
  if (typeof given !== "string" || given === "")
    throw new CommandError("id is missing: give the id of a question from cortex permissions list");
  const [found, ...more] = await questions.findAll(given);
  if (!found) throw new CommandError(`there is no question "${given.slice(0, 80)}": see cortex permissions list`);
  if (more.length > 0) throw new CommandError(`"${given}" begins several ids: give more of it`);
  return found;
}

function rowOf(agent: AgentRecord, tasksOf?: TasksOf) {
  const { id, descriptor, state, inbox, deps } = agent;
  const { window } = contextLimits(deps.settings().agents, state.context_window);
  return {
    agent_id: id,
    kind: descriptor.kind,
    name: descriptor.name ?? descriptor.kind,
    ...(descriptor.connector !== undefined && { connector: descriptor.connector }),
    ...(descriptor.channelId !== undefined && { channelId: descriptor.channelId }),
    ...(descriptor.thread !== undefined && { thread: descriptor.thread }),
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
    ...shownAccounts(agent, tasksOf),
    ...shownSpending(state, deps.timeZone),
    channels: channelTypes(deps.settings().channels),
    ...spokenBy(agent),
  };
}

/** Reads the name of the agent, and whether what its model writes is said. */
function spokenBy(agent: AgentRecord) {
  const { identity, text_is_reply = false } = agent.deps.personas.get(personaOf(agent))?.settings ?? {};
  const name = isRecord(identity) && agent.descriptor.kind === "main" ? identity["name"] : undefined;
  return { ...(typeof name === "string" && name !== "" && { called: name }), text_is_reply };
}

/** Characters of a history that an answer has room for: of each record, and of all of them. */
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
function found({ all }: AgentDirectory, { agent_id: given }: Args): AgentRecord {
  return foundIn(all, given, "agent", "agents");
}

/** A task by its id, or the begin of it. */
function foundTask({ all }: AgentDirectory, { agent_id: given }: Args): AgentRecord {
  const tasks = all.filter(({ descriptor }) => descriptor.kind === "subagent");
  return foundIn(tasks, given, "task", "tasks");
}

function foundIn(known: readonly AgentRecord[], given: unknown, what: string, command: string): AgentRecord {
  if (typeof given !== "string" || given === "")
    throw new CommandError(`id is missing: give the id of the ${what}, from cortex ${command} list`);
  const matching = known.filter(({ id }) => id.startsWith(given));
  const [agent, ...more] = matching;
  if (!agent) throw new CommandError(`there is no ${what} "${given}": see cortex ${command} list`);
  if (more.length > 0) throw new CommandError(`"${given}" begins ${matching.length} ids: give more of it`);
  return agent;
}

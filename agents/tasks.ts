/** Sub-agents: sent off to work, told more, and what became of them. */
import { TaskType } from "../protocol/agent-files.ts";
import { dayOf } from "../protocol/day.ts";
import type { Agent } from "./agent.ts";
import { agentIdOf, type AgentKey } from "./agent-id.ts";
import type { Directory } from "./directory.ts";
import { type Amounts, increased, shareOfTurn } from "./task-limits.ts";

/** What can't be, told to whoever asked. */
export class TaskError extends Error {
  override name = "TaskError";
}

/** Sends a sub-agent off. @param call names the tool's call, among those of all runs: made again, it is the same task */
export async function spawnTask(
  directory: Directory,
  parent: Agent,
  call: string,
  { description, input, type = "general" }: { description: string; input: string; type?: unknown },
): Promise<{ taskId: string; status: string }> {
  return oneByOne(parent, () => spawnOne(directory, parent, call, { description, input, type }));
}

/** What one call is given, the next must see. */
async function oneByOne<T>(parent: Agent, work: () => Promise<T>): Promise<T> {
  const now = (underWay.get(parent) ?? Promise.resolve()).then(work);
  underWay.set(
    parent,
    now.catch(() => {}),
  );
  return now;
}

const underWay = new WeakMap<Agent, Promise<unknown>>();

async function spawnOne(
  directory: Directory,
  parent: Agent,
  call: string,
  { description, input, type }: { description: string; input: string; type: unknown },
): Promise<{ taskId: string; status: string }> {
  const { host, state } = parent;
  const kind = TaskType.safeParse(type);
  if (!kind.success)
    throw new TaskError(`unknown type "${String(type)}": known types are ${TaskType.options.join(", ")}`);
  const depth = (state.task?.depth ?? 0) + 1;
  const most = host.settings().agents?.max_depth ?? 1;
  if (depth > most)
    throw new TaskError(`sub-agents may not send off others here (agents.max_depth is ${most}): do it yourself`);
  const key: AgentKey = { kind: "subagent", parent: parent.id, call, name: description.slice(0, 200) };
  const limits = directory.get(agentIdOf(key)) ? {} : await share(parent, call);
  const channel = state.task?.channel ?? state.turn?.channel;
  const task = await directory.find(key, {
    task: {
      type: kind.data,
      description,
      state: "running",
      depth,
      input,
      ...(channel && { channel }),
      ...(Object.keys(limits).length > 0 && { limits, grant: call }),
    },
  });
  if (await giveInput(task)) host.tell(parent.id, "task_started", { task_id: task.id, description, type: kind.data });
  return { taskId: task.id, status: task.state.task?.state ?? "running" };
}

/** Tells a task what it is to do. Done again after a crash, it is known by its id. Resolves with whether it was new. */
export async function giveInput(task: Agent): Promise<boolean> {
  const { id, descriptor, state } = task;
  const { input, is_unwanted } = state.task ?? {};
  if (input === undefined || is_unwanted) return false;
  return task.post({
    id: `input-${id}`,
    ts: Date.now(),
    type: "system",
    origin: `agent:${descriptor.parent ?? ""}`,
    text: input,
  });
}

/**
 * Lets a task go on with something more.
 * @param from the agent that asks, which gives of what is left to it; null: the user
 */
export async function resumeTask(
  task: Agent,
  call: string,
  input: string,
  from: Agent | null,
): Promise<{ taskId: string; status: string }> {
  if (from) return oneByOne(from, () => resumeOne(task, call, input, from));
  return resumeOne(task, call, input, null);
}

async function resumeOne(
  task: Agent,
  call: string,
  input: string,
  from: Agent | null,
): Promise<{ taskId: string; status: string }> {
  const { id } = task;
  if (!task.state.task) throw new TaskError(`${id} is no task`);
  const item = `resume-${call}`;
  // Asked again, since an answer got lost: it may have ended since.
  if (task.inbox.knows(item)) return { taskId: id, status: task.state.task.state };
  const more = from ? await share(from, call) : {};
  const { limits: before, grant, ...rest } = task.state.task;
  // What the user wants at this machine is of no turn: no share binds it. What was left of a former one counts on.
  const limits = grant === call ? before : increased(more, before);
  const given = Object.keys(limits ?? {}).length > 0 && { limits, grant: call };
  await task.update({
    lifecycle: "active",
    task: { ...rest, ...given, state: "running", needs_answer: false, is_unwanted: false },
  });
  const origin = from ? `agent:${from.id}` : "user";
  await task.post({ id: item, ts: Date.now(), type: "system", origin, text: input });
  return { taskId: id, status: "running" };
}

/** What the running turn of an agent gives away, once for a call. @throws TaskError when nothing is left */
async function share(parent: Agent, call: string): Promise<Amounts> {
  const taken = await shareOfTurn(parent, call);
  if ("error" in taken) throw new TaskError(`${taken.error}: say so to the user`);
  return taken.limits;
}

export function taskRow({ id, descriptor, state, inbox }: Agent) {
  const { task } = state;
  return {
    taskId: id,
    parent: descriptor.parent,
    description: task?.description ?? descriptor.name ?? "",
    type: task?.type ?? "general",
    status: task?.state ?? "failed",
    created: descriptor.created,
    updated: state.updated,
    ...(state.turn && { run_id: state.turn.run_id }),
    ...(state.last_run !== undefined && { last_run: state.last_run }),
    waiting: inbox.waiting.length,
  };
}

/** The tasks of an agent, or all; of a day or all. The newest first. */
export function tasksOf(directory: Directory, parent: string | null, day?: string): Agent[] {
  return directory.all
    .filter(({ descriptor }) => descriptor.kind === "subagent" && (parent === null || descriptor.parent === parent))
    .filter(({ descriptor, host }) => day === undefined || dayOf(descriptor.created, host.timeZone) === day)
    .toSorted((a, b) => b.descriptor.created - a.descriptor.created);
}

const longest = 32_000;

/** What it has said last: its result, once it has completed. */
export function lastSaid({ history }: Agent): { said?: string } {
  const last = history.records.findLast((record) => record.type === "assistant");
  return last ? { said: last.text.slice(0, longest) } : {};
}

/** What a task did, as its history tells. */
export function replayOf({ history }: Agent): string {
  const lines = history.records.flatMap((record) => {
    if (record.type === "tool_call") return [`CALL ${record.tool} ${JSON.stringify(record["args"] ?? {})}`];
    if (record.type === "tool_result") return [`RESULT ${textOf(record["result"])}`];
    if (record.type === "start" || record.type === "reset" || record.type === "compact") return [];
    return [`${record.type.toUpperCase()} ${record.text}`];
  });
  const text = lines.join("\n");
  return text.length <= longest ? text : `[the begin is left out]\n${text.slice(-longest)}`;
}

const textOf = (result: unknown) => (typeof result === "string" ? result : JSON.stringify(result ?? null));

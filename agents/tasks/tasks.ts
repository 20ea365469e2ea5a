/** Sub-agents: sent off to work, told more, and what became of them. */
import { type InboxItem, TaskType } from "../../protocol/agents/agent-files.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { reached } from "../../proc/programs/durable-point.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { agentIdOf, type AgentKey } from "../record/agent-id.ts";
import type { AgentDirectory } from "../record/directory.ts";
import { type Amounts, increased, shareOfTurn } from "./task-limits.ts";

/** What can't be, told to whoever asked. */
export class TaskError extends Error {
  override name = "TaskError";
}

/** Sends a sub-agent off. @param call names the tool's call, among those of all runs: made again, it is the same task */
export async function spawnTask(
  directory: AgentDirectory,
  parent: AgentRecord,
  call: string,
  { description, input, type = "general" }: { description: string; input: string; type?: unknown },
): Promise<{ taskId: string; status: string }> {
  return oneByOne(parent, () => spawnOne(directory, parent, call, { description, input, type }));
}

/** What one call gives to an agent, or takes of it, the next must see. */
async function oneByOne<T>(agent: AgentRecord, work: () => Promise<T>): Promise<T> {
  const now = (underWay.get(agent) ?? Promise.resolve()).then(work);
  underWay.set(
    agent,
    now.catch(() => {}),
  );
  return now;
}

const underWay = new WeakMap<AgentRecord, Promise<unknown>>();

async function spawnOne(
  directory: AgentDirectory,
  parent: AgentRecord,
  call: string,
  { description, input, type }: { description: string; input: string; type: unknown },
): Promise<{ taskId: string; status: string }> {
  const { deps, state } = parent;
  const kind = TaskType.safeParse(type);
  if (!kind.success)
    throw new TaskError(`unknown type "${String(type)}": known types are ${TaskType.options.join(", ")}`);
  const depth = (state.task?.depth ?? 0) + 1;
  const most = deps.settings().agents?.max_depth ?? 1;
  if (depth > most)
    throw new TaskError(`sub-agents may not send off others here (agents.max_depth is ${most}): do it yourself`);
  const key: AgentKey = { kind: "subagent", parent: parent.id, call, name: description.slice(0, 200) };
  const taskId = agentIdOf(key);
  const limits = directory.get(taskId) ? {} : await share(parent, call);
  const channel = state.task?.channel ?? state.turn?.channel;
  const task = await directory.findOrCreate(key, {
    task: {
      type: kind.data,
      description,
      state: "running",
      depth,
      owed: told(`input-${taskId}`, parent, input),
      ...(channel && { channel }),
      ...(Object.keys(limits).length > 0 && { limits }),
    },
  });
  if (await tellOwed(task))
    deps.publishEvent(parent.id, "task_started", { task_id: taskId, description, type: kind.data });
  return statusOf(task);
}

/** What somebody says to a task. */
const told = (id: string, from: AgentRecord | null, text: string): InboxItem => ({
  id,
  ts: Date.now(),
  type: "system",
  origin: from ? `agent:${from.id}` : "user",
  text,
});

const statusOf = ({ id, state: { task } }: AgentRecord) => ({ taskId: id, status: task?.state ?? "running" });

/** Tells a task what was kept for it. Done again after a crash, it is known by its id. Resolves with whether it was new. */
export async function tellOwed(task: AgentRecord): Promise<boolean> {
  const { owed, is_unwanted } = task.state.task ?? {};
  if (!owed || is_unwanted) return false;
  const isNew = await task.post(owed);
  // Only now it lasts there, also where somebody else has posted it.
  const { task: now } = task.state;
  if (now?.owed?.id === owed.id) await task.update({ task: { ...now, owed: undefined } });
  return isNew;
}

/**
 * Lets a task go on with something more.
 * @param from the agent that asks, which gives of what is left to it; null: the user
 */
export async function resumeTask(
  task: AgentRecord,
  call: string,
  input: string,
  from: AgentRecord | null,
): Promise<{ taskId: string; status: string }> {
  const resume = () => oneByOne(task, () => resumeOne(task, call, input, from));
  return from ? oneByOne(from, resume) : resume();
}

async function resumeOne(
  task: AgentRecord,
  call: string,
  input: string,
  from: AgentRecord | null,
): Promise<{ taskId: string; status: string }> {
  if (!task.state.task) throw new TaskError(`${task.id} is no task`);
  const owed = told(`resume-${call}`, from, input);
  await tellOwed(task);
  // Asked again, since an answer got lost: it may have ended since.
  if (task.inbox.knows(owed.id)) return statusOf(task);
  const more = from ? await share(from, call) : {};
  const { limits: before, ...rest } = task.state.task;
  // What the user wants at this machine is of no turn: no share binds it. What was left of a former one counts on.
  const limits = increased(more, before);
  const given = Object.keys(limits).length > 0 && { limits };
  await task.update({
    lifecycle: "active",
    task: { ...rest, ...given, owed, state: "running", needs_answer: false, is_unwanted: false },
  });
  reached("resumption kept");
  await tellOwed(task);
  return statusOf(task);
}

/** What the running turn of an agent gives away, once for a call. @throws TaskError when nothing is left */
async function share(parent: AgentRecord, call: string): Promise<Amounts> {
  const taken = await shareOfTurn(parent, call);
  if ("error" in taken) throw new TaskError(`${taken.error}: say so to the user`);
  return taken.limits;
}

export function taskRow({ id, descriptor, state, inbox }: AgentRecord) {
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
export function tasksOf(directory: AgentDirectory, parent: string | null, day?: string): AgentRecord[] {
  return directory.all
    .filter(({ descriptor }) => descriptor.kind === "subagent" && (parent === null || descriptor.parent === parent))
    .filter(({ descriptor, deps }) => day === undefined || dayOf(descriptor.created, deps.timeZone) === day)
    .toSorted((a, b) => b.descriptor.created - a.descriptor.created);
}

const longest = 32_000;

/** What it has said last: its result, once it has completed. */
export function lastSaid({ history }: AgentRecord): { said?: string } {
  const last = history.records.findLast((record) => record.type === "assistant");
  return last ? { said: last.text.slice(0, longest) } : {};
}

/** What a task did, as its history tells. */
export function replayOf({ history }: AgentRecord): string {
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

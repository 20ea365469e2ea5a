/** Sub-agents: sent off to work, told more, and what became of them. */
import { TaskType } from "../protocol/agent-files.ts";
import { dayOf } from "../protocol/day.ts";
import type { Agent } from "./agent.ts";
import type { Directory } from "./directory.ts";
import { limitsLeft } from "./limits-left.ts";

/** What can't be, told to whoever asked. */
export class TaskError extends Error {
  override name = "TaskError";
}

/** Sends a sub-agent off. `call` names the tool's call: made again, it is the same task. */
export async function spawnTask(
  directory: Directory,
  parent: Agent,
  call: string,
  { description, input, type = "general" }: { description: string; input: string; type?: unknown },
): Promise<{ taskId: string; status: string }> {
  const { host, state } = parent;
  const kind = TaskType.safeParse(type);
  if (!kind.success)
    throw new TaskError(`unknown type "${String(type)}": known types are ${TaskType.options.join(", ")}`);
  const depth = (state.task?.depth ?? 0) + 1;
  const most = host.settings().agents?.max_depth ?? 1;
  if (depth > most)
    throw new TaskError(`sub-agents may not send off others here (agents.max_depth is ${most}): do it yourself`);
  const siblings = tasksOf(directory, parent.id).filter((one) => one.state.task?.["run_id"] === state.turn?.run_id);
  const limits = limitsLeft(parent, siblings);
  const spent = Object.entries(limits).find(([, value]) => value <= 0)?.[0];
  if (spent !== undefined) throw new TaskError(`nothing is left of ${spent}: say so to the user`);
  const channel = state.task?.channel ?? state.turn?.channel;
  const task = await directory.find(
    { kind: "subagent", parent: parent.id, call, name: description.slice(0, 200) },
    {
      task: {
        type: kind.data,
        description,
        state: "running",
        depth,
        ...(state.turn && { run_id: state.turn.run_id }),
        ...(channel && { channel }),
        ...(Object.keys(limits).length > 0 && { limits }),
      },
    },
  );
  // The posting is done again after a crash: its id makes it once.
  const isNew = await task.post({
    id: `input-${task.id}`,
    ts: Date.now(),
    type: "system",
    origin: `agent:${parent.id}`,
    text: input,
  });
  if (isNew) host.tell(parent.id, "task_started", { task_id: task.id, description, type: kind.data });
  return { taskId: task.id, status: task.state.task?.state ?? "running" };
}

/** Lets a task go on with something more. */
export async function resumeTask(
  task: Agent,
  call: string,
  input: string,
  from: string,
): Promise<{ taskId: string; status: string }> {
  const { state, id } = task;
  if (!state.task) throw new TaskError(`${id} is no task`);
  const item = `resume-${call}`;
  // Made again after a crash: it may have ended meanwhile.
  if (!task.inbox.knows(item)) await task.update({ task: { ...state.task, state: "running", needs_answer: false } });
  await task.post({ id: item, ts: Date.now(), type: "system", origin: from, text: input });
  return { taskId: id, status: "running" };
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

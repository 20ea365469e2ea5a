/** Tasks: sub-agents that are spawned, resumed, listed and replayed. */
import { defaultTaskType, type InboxItem } from "../../protocol/agents/agent-files.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { agentIdOf, type AgentKey } from "../record/agent-id.ts";
import type { AgentDirectory } from "../record/directory.ts";
import { whyNoTask } from "./task-personas.ts";
import { isQueued, mostTasksAtOnce } from "./task-slots.ts";
import { taskAfter } from "./task-state-machine.ts";
import { type LimitsLeft, addLimits, suballocate } from "./task-limits.ts";

/** How a task stands that was sent off or resumed. */
type TaskAnswer = { taskId: string; status: string; note?: string };

/** Refusal of a spawn or a resumption, for the model or user who asked. */
export class TaskError extends Error {
  override name = "TaskError";
}

/** Spawns a sub-agent. @param call names the tool's call among those of all runs: repeated, it is the same task */
export async function spawnTask(
  directory: AgentDirectory,
  parent: AgentRecord,
  call: string,
  { description, input, type = defaultTaskType }: { description: string; input: string; type?: string },
): Promise<TaskAnswer> {
  return inSequence(parent, () => spawnNow(directory, parent, call, { description, input, type }));
}

/** Runs the calls that concern one agent's limits or input one after the other: each must see what the one before it changed. */
async function inSequence<T>(agent: AgentRecord, work: () => Promise<T>): Promise<T> {
  const now = (underWay.get(agent) ?? Promise.resolve()).then(work);
  underWay.set(
    agent,
    now.catch(() => {}),
  );
  return now;
}

const underWay = new WeakMap<AgentRecord, Promise<unknown>>();

async function spawnNow(
  directory: AgentDirectory,
  parent: AgentRecord,
  call: string,
  { description, input, type }: { description: string; input: string; type: string },
): Promise<TaskAnswer> {
  const { deps, state } = parent;
  const why = whyNoTask(type, deps.personas);
  if (why !== null) throw new TaskError(why);
  const depth = (state.task?.depth ?? 0) + 1;
  const most = deps.settings().agents?.max_depth ?? 1;
  if (depth > most)
    throw new TaskError(`sub-agents may not send off others here (agents.max_depth is ${most}): do it yourself`);
  const key: AgentKey = { kind: "subagent", parent: parent.id, call, name: description.slice(0, 200) };
  const taskId = agentIdOf(key);
  const limits = directory.get(taskId) ? {} : await limitsFrom(parent, call);
  const channel = state.task?.channel ?? state.turn?.channel;
  const task = await directory.findOrCreate(key, {
    task: {
      type,
      description,
      state: "running",
      depth,
      owed: inputItem(`input-${taskId}`, parent, input),
      ...(channel && { channel }),
      ...(Object.keys(limits).length > 0 && { limits }),
    },
  });
  if (await deliverPendingInput(task))
    deps.publishEvent(parent.id, "task_started", { task_id: taskId, description, type });
  return answerOf(task);
}

/** Inbox item of an input for a task. */
const inputItem = (id: string, from: AgentRecord | null, text: string): InboxItem => ({
  id,
  ts: Date.now(),
  type: "system",
  origin: from ? `agent:${from.id}` : "user",
  text,
});

function answerOf(task: AgentRecord): TaskAnswer {
  const status = statusOf(task);
  if (status !== "queued") return { taskId: task.id, status };
  const note = `as many tasks are at work as may be at once (agents.max_parallel is ${mostTasksAtOnce(task)}): it begins when one of them has ended its turn`;
  return { taskId: task.id, status, note };
}

/** `queued`: it waits until fewer tasks of its agent are at work. */
const statusOf = (task: AgentRecord) => (isQueued(task) ? "queued" : (task.state.task?.state ?? "failed"));

/** Posts the input that is kept with a task's state. Repeated after a crash, it is known by its id. Resolves with whether it was new. */
export async function deliverPendingInput(task: AgentRecord): Promise<boolean> {
  const { owed: pendingInput, is_unwanted } = task.state.task ?? {};
  if (!pendingInput || is_unwanted) return false;
  const isNew = await task.post(pendingInput);
  // Only now it lasts in the inbox, also where somebody else has posted it.
  const { task: now } = task.state;
  if (now?.owed?.id === pendingInput.id) await task.update({ task: { ...now, owed: undefined } });
  return isNew;
}

/**
 * Resumes a task with another input.
 * @param from the agent that asks, out of whose limits it is paid; null: the user
 */
export async function resumeTask(
  task: AgentRecord,
  call: string,
  input: string,
  from: AgentRecord | null,
): Promise<TaskAnswer> {
  const resume = () => inSequence(task, () => resumeNow(task, call, input, from));
  return from ? inSequence(from, resume) : resume();
}

async function resumeNow(
  task: AgentRecord,
  call: string,
  input: string,
  from: AgentRecord | null,
): Promise<TaskAnswer> {
  if (!task.state.task) throw new TaskError(`${task.id} isn't a task`);
  const pendingInput = inputItem(`resume-${call}`, from, input);
  await deliverPendingInput(task);
  // A repeated call, since its answer got lost: the task may have ended since.
  if (task.inbox.knows(pendingInput.id)) return answerOf(task);
  const more = from ? await limitsFrom(from, call) : {};
  const { limits: before, ...rest } = task.state.task;
  // A resumption by the user at this machine belongs to no turn, so no new limit binds it. What was left of former ones counts on.
  const limits = addLimits(more, before);
  const given = Object.keys(limits).length > 0 && { limits };
  await task.update(
    taskAfter({ ...rest, ...given, owed: pendingInput, needs_answer: false, is_unwanted: false }, "resumed"),
  );
  failpoint("resumption-kept");
  await deliverPendingInput(task);
  return answerOf(task);
}

/** Takes a part of the limits of an agent's running turn, once for a call. @throws TaskError when nothing is left */
async function limitsFrom(parent: AgentRecord, call: string): Promise<LimitsLeft> {
  const taken = await suballocate(parent, call);
  if ("error" in taken) throw new TaskError(`${taken.error}: say so to the user`);
  return taken.limits;
}

export function taskRow(agent: AgentRecord) {
  const { id, descriptor, state, inbox } = agent;
  const { task } = state;
  return {
    taskId: id,
    parent: descriptor.parent,
    description: task?.description ?? descriptor.name ?? "",
    type: task?.type ?? defaultTaskType,
    status: statusOf(agent),
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

/** The last text of a task: its result, once it has completed. */
export function lastTextOf({ history }: AgentRecord): { said?: string } {
  const last = history.records.findLast((record) => record.type === "assistant");
  return last ? { said: last.text.slice(0, longest) } : {};
}

/** The conversation of a task, as its history has it. */
export function replayOf({ history }: AgentRecord): string {
  const lines = history.records.flatMap((record) => {
    if (record.type === "tool_call") return [`CALL ${record.tool} ${JSON.stringify(record["args"] ?? {})}`];
    if (record.type === "tool_result") return [`RESULT ${textOf(record["result"])}`];
    if (!("text" in record) || record["left_out"] === true) return [];
    return [`${record.type.toUpperCase()} ${String(record.text)}`];
  });
  const text = lines.join("\n");
  return text.length <= longest ? text : `[the begin is left out]\n${text.slice(-longest)}`;
}

const textOf = (result: unknown) => (typeof result === "string" ? result : JSON.stringify(result ?? null));

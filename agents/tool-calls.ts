/** Actions of the tools that this service carries out, for the run that calls them. */
import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { visible, visibleLine } from "../conversation/marks/plain-text.ts";
import { AttachmentError } from "../files/errors/attachment-error.ts";
import { attachmentRules, takeAttachments } from "../journal/attachments/take-attachments.ts";
import { realAsFarAsItGoes } from "../journal/config/paths.ts";
import type { AgentAnswer, ToolCall } from "../protocol/agents/agent-call.ts";
import { CallQuestion } from "../protocol/permissions/call-question.ts";
import { channelTypes } from "../protocol/agents/agents-settings.ts";
import type { Attachment, Channel } from "../protocol/agents/channel.ts";
import { AttachmentRefs } from "../protocol/files/attachment.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { workFolderOf } from "./record/work-place.ts";
import type { AgentDeps } from "./record/agent-deps.ts";
import type { ServiceParts } from "./service-deps.ts";
import { taskHeading, postToParent } from "./tasks/task-report.ts";
import { lastTextOf, replayOf, resumeTask, spawnTask, TaskError, taskRow, tasksOf } from "./tasks/tasks.ts";
import { waitForTasks } from "./tasks/task-wait.ts";

type ToolDeps = Pick<AgentDeps, "messages" | "settings"> & Pick<ServiceParts, "directory" | "questions" | "heldTurns">;

/** Refusal of a call, for the model to read. */
class CallError extends Error {
  override name = "CallError";
}

type Call = { agent: AgentRecord; runId: string; key: string; args: Record<string, unknown>; deps: ToolDeps };

/** Answers a call. One that is repeated, since its answer got lost, acts once. */
export async function answerToolCall(deps: ToolDeps, call: ToolCall): Promise<AgentAnswer> {
  const { run_id, call_id, tool, args } = call;
  if (tool === "process_ended") return tellProcessEnded(deps, call);
  // Of any run, be it an agent's turn or not.
  if (tool === "ask_permission")
    return { ok: true, result: await deps.questions.ask(run_id, CallQuestion.parse(args)) };
  const agent = deps.directory.ofRun(run_id);
  if (!agent)
    return { ok: false, error: `${tool} works only in turns of long-lived agents, and the run ${run_id} is none` };
  const action = Object.hasOwn(actions, tool) ? actions[tool] : undefined;
  if (!action) return { ok: false, error: `there is no tool ${tool}` };
  const key = createHash("sha256")
    .update(JSON.stringify([run_id, call_id]))
    .digest("hex")
    .slice(0, 24);
  try {
    return { ok: true, result: await action({ agent, runId: run_id, key, args, deps }) };
  } catch (error) {
    if (error instanceof CallError || error instanceof TaskError) return { ok: false, error: error.message };
    throw error;
  }
}

/** Tells an agent, in a turn or between two, that a process that it had left running has ended by itself. */
async function tellProcessEnded({ directory }: ToolDeps, { call_id, args }: ToolCall): Promise<AgentAnswer> {
  const { agent_id, text: said } = args;
  const agent = typeof agent_id === "string" ? directory.get(agent_id) : undefined;
  if (!agent || typeof said !== "string") return { ok: false, error: "process_ended: there is no such agent" };
  const id = `process-${call_id}`;
  await agent.post({ id, ts: Date.now(), type: "system", origin: "process", text: said });
  return { ok: true, result: { told: true } };
}

const actions: Record<string, (call: Call) => Promise<Record<string, unknown>>> = {
  context: async ({ agent }) => {
    const { id, descriptor, state } = agent;
    return {
      agent_id: id,
      kind: descriptor.kind,
      work_folder: workFolderOf(agent),
      may_write: state.permissions,
      ...(state.conversation !== undefined && { conversation: state.conversation }),
    };
  },
  reply,
  spawn_subagent: async ({ agent, key, args, deps }) =>
    spawnTask(deps.directory, agent, key, {
      description: text(args, "description"),
      input: text(args, "input"),
      ...(typeof args["type"] === "string" && { type: args["type"] }),
    }),
  resume_task: async ({ agent, key, args, deps }) =>
    resumeTask(taskOf(agent, deps, args), key, text(args, "input"), agent),
  task_list: async ({ agent, args, deps }) => {
    const { date } = args;
    const day = typeof date === "string" ? date : undefined;
    return { tasks: tasksOf(deps.directory, agent.id, day).slice(0, 100).map(taskRow) };
  },
  task_status: async ({ agent, args, deps }) => {
    const task = taskOf(agent, deps, args);
    return { ...taskRow(task), ...lastTextOf(task) };
  },
  task_wait: async ({ agent, args, deps }) => {
    const { taskIds, until } = args;
    const ids = Array.isArray(taskIds) ? [...new Set(taskIds)] : [];
    const tasks = ids.map((taskId) => taskOf(agent, deps, { taskId }));
    return waitForTasks(agent, tasks, until === "first" ? "first" : "all", deps.heldTurns);
  },
  task_replay: async ({ agent, args, deps }) => {
    const task = taskOf(agent, deps, args);
    return { ...taskRow(task), conversation: replayOf(task) };
  },
  notify,
  send_agent_message: sendAgentMessage,
  request_permission: async ({ agent, key, args, deps }) => {
    const { path } = args;
    if (typeof path !== "string" || !isAbsolute(path)) throw new CallError("path: give an absolute path");
    // Whoever decides has to see what on: where the path really leads, each character of it.
    const real = realPlace(resolve(path));
    if ([path, real].some((one) => visibleLine(one) !== one))
      throw new CallError("path: expected visible characters only");
    const token = await deps.questions.askToWrite(agent, key, real, visible(text(args, "reason")));
    if (token === null) throw new CallError("there is no user to ask: no user has written to this agent yet");
    return { status: "asked", token, note: "end now: you are called again when it is decided" };
  },
};

/** Where a path leads, its links followed: a decision holds for that place, wherever a link leads later. */
function realPlace(path: string): string {
  try {
    return realAsFarAsItGoes(path);
  } catch (error) {
    throw new CallError(`path: "${path}" can't be resolved: ${String(error)}`);
  }
}

async function reply({ agent, runId, key, args, deps }: Call): Promise<Record<string, unknown>> {
  const { state, descriptor } = agent;
  const channelId = args["channelId"];
  if (typeof channelId !== "string" || channelId === "")
    throw new CallError("channelId is required: it is in the line [channel: … | id: …] above the message");
  const here = [state.turn?.channel, state.last_channel].find((one) => one?.channelId === channelId);
  const type =
    typeof args["channelType"] === "string" ? args["channelType"] : (here?.type ?? onlyType(channelId, deps));
  const known = channelTypes(deps.settings().channels);
  if (type === undefined || !known.includes(type))
    throw new CallError(
      `channelType${type === undefined ? " is required" : `: there is no channel "${type}"`}: known are ${known.join(", ")}`,
    );
  const { connector, thread } = descriptor;
  const isOwnRoom = type === connector && channelId === descriptor.channelId;
  const given = typeof args["replyTo"] === "string" && args["replyTo"] !== "" ? args["replyTo"] : undefined;
  const replyTo = given ?? (isOwnRoom ? thread : undefined);
  if (descriptor.kind === "user" && !(isOwnRoom && (thread === undefined || replyTo === thread))) {
    const within = thread === undefined ? "" : `, replyTo ${thread}`;
    throw new CallError(
      `only this conversation can be answered: channelType ${connector}, channelId ${descriptor.channelId}${within}`,
    );
  }
  const channel: Channel = { type, channelId, ...(replyTo !== undefined && { replyTo }) };
  const id = `r${runId}-${key}`;
  const attachments = await filesOf(agent, args["attachments"]);
  const files = attachments.length > 0 && { attachments };
  await deps.messages.sendReply({ id, text: text(args, "text"), channel, agent_id: agent.id, run_id: runId, ...files });
  return { queued: true, id };
}

/** Files of a reply, stored as they are now. An agent that speaks to a stranger gives those of its own folder alone. */
async function filesOf(agent: AgentRecord, given: unknown): Promise<Attachment[]> {
  if (given === undefined) return [];
  const refs = AttachmentRefs.safeParse(given);
  if (!refs.success) throw new CallError("attachments: expected files, each with exactly one of path, id and data");
  const { deps, descriptor } = agent;
  const places = { journal: deps.journal, folder: workFolderOf(agent), isFolderOnly: descriptor.kind === "user" };
  try {
    const parts = await takeAttachments(refs.data, places, attachmentRules(deps.settings()));
    return parts.map(({ id, name, mime, size }) => ({ id, name, mime, size }));
  } catch (error) {
    if (error instanceof AttachmentError) throw new CallError(error.message);
    throw error;
  }
}

/** The one type of channel on which somebody with this id has written. */
function onlyType(channelId: string, { directory }: ToolDeps): string | undefined {
  const types = directory.all.flatMap(({ state: { last_channel: last } }) =>
    last?.channelId === channelId ? [last.type] : [],
  );
  return new Set(types).size === 1 ? types[0] : undefined;
}

/** Tells a task's parent something before the task ends. */
async function notify({ agent, key, args }: Call): Promise<Record<string, unknown>> {
  const { task } = agent.state;
  const { parent } = agent.descriptor;
  if (!task || parent === undefined) throw new CallError("only sub-agents have notify: use reply");
  const needsAnswer = args["needs_answer"] === true;
  if (needsAnswer) await agent.update({ task: { ...task, needs_answer: true } });
  await postToParent(agent, {
    id: `notify-${key}`,
    ts: Date.now(),
    type: "system",
    origin: `task:${agent.id}`,
    text: `${taskHeading(agent, needsAnswer ? "asks" : "says")}\n\n${text(args, "text")}`,
    // A question is asked with the task's end, so that its answer finds it waiting.
    ...(needsAnswer && { silent: true }),
    ...(task.channel && { channel: task.channel }),
  });
  return needsAnswer ? { told: true, note: "end now: you go on when the answer is there" } : { told: true };
}

async function sendAgentMessage({ agent, key, args, deps }: Call): Promise<Record<string, unknown>> {
  const { directory } = deps;
  const wanted = args["agentId"];
  const target =
    typeof wanted === "string"
      ? directory.get(wanted)
      : agent.descriptor.parent !== undefined
        ? directory.get(agent.descriptor.parent)
        : directory.foreground;
  if (!target)
    throw new CallError(
      typeof wanted === "string" ? `there is no agent ${wanted}` : "there is no agent to write to yet",
    );
  if (target === agent) throw new CallError("this would be a message to yourself");
  // What it is told, a stranger may ask it for.
  if (target.descriptor.kind === "user")
    throw new CallError(`${target.id} speaks to somebody who isn't an owner: no other agent may write to it`);
  await target.post({
    id: `message-${key}`,
    ts: Date.now(),
    type: "system",
    origin: `agent:${agent.id}`,
    text: text(args, "text"),
  });
  return { sent: true, agent_id: target.id };
}

function taskOf(agent: AgentRecord, { directory }: ToolDeps, args: Record<string, unknown>): AgentRecord {
  const id = text(args, "taskId");
  const task = directory.get(id);
  if (!task || task.descriptor.kind !== "subagent" || task.descriptor.parent !== agent.id)
    throw new CallError(`there is no task "${id.slice(0, 80)}" of yours: task_list names them`);
  return task;
}

function text(args: Record<string, unknown>, key: string): string {
  const { [key]: value } = args;
  if (typeof value !== "string" || value.trim() === "") throw new CallError(`${key}: expected text`);
  return value;
}

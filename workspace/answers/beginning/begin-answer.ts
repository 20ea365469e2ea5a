/** A queued task begins: it gets its run, and all that this run is asked, in one change. The request is sent after it. */
import { messageBytes, mostMessageBytes } from "../../../bus/events/message-size.ts";
import type { Request } from "../../../protocol/runs/request/request.ts";
import { trustOfTask } from "../../approvals/task-trust.ts";
import { configOfVersion } from "../../agents/versions.ts";
import type { ContextSize } from "../../context/assemble-context.ts";
import type { WorkspaceChange } from "../../database/changes/change.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import type { AgentConfig } from "../../records/agent.ts";
import type { TaskInput } from "../../records/task.ts";
import { asksToSearch } from "../../search/query-words.ts";
import { setTask } from "../../tasks/task-rows.ts";
import { type Admission, admit } from "../admission/admission.ts";
import type { AnswerDeps } from "../deps/answer-deps.ts";
import { answerRequest } from "./answer-request.ts";
import { endFailed, withUsed } from "../ending/end-answer.ts";
import { failureWords } from "../outcome/failure-words.ts";
import type { PreparedContext } from "./prepared-context.ts";
import { nextRunId } from "../deps/run-ids.ts";
import { sayOfTask } from "../ending/system-message.ts";

/** The task with its run; `waits`: it can't begin yet. Null: it has failed, or is queued no more. */
export async function beginAnswer(
  deps: AnswerDeps,
  { id, workspace_id }: Pick<TaskTable, "id" | "workspace_id">,
  prepared: PreparedContext,
): Promise<TaskTable | "waits" | null> {
  return deps.store.changes.make(workspace_id, async (change) => {
    const task = await taskToBegin(change, id);
    if (!task) return null;
    const config = await configOfVersion(change.tables, task.agent_id, task.agent_version);
    const { defaultBackend } = deps.models();
    const asked = { task, config, settings: deps.settings(), defaultBackend, timeZone: deps.timeZone };
    const admission = await admit(change, asked);
    if (admission.kind !== "begin") return hold(change, task, admission);
    return giveRun(deps, change, { ...task, allowance_usd: admission.maxCostUsd }, config, prepared, "whole");
  });
}

async function taskToBegin({ tables }: WorkspaceChange, id: string): Promise<TaskTable | undefined> {
  return tables.selectFrom("tasks").selectAll().where("id", "=", id).where("status", "=", "queued").executeTakeFirst();
}

async function hold(
  change: WorkspaceChange,
  task: TaskTable,
  admission: Exclude<Admission, { kind: "begin" }>,
): Promise<"waits" | null> {
  const { kind, words } = admission;
  if (kind === "refuse") {
    await endFailed(change, task, { words: admission.words, isSaid: admission.isSaid });
    return null;
  }
  if (words !== undefined && !(await isSaid(change, task, words))) await sayOfTask(change, task, "limit", words);
  return "waits";
}

async function isSaid({ tables }: WorkspaceChange, task: TaskTable, words: string): Promise<boolean> {
  const said = await tables
    .selectFrom("messages")
    .select("id")
    .where("thread_id", "=", task.thread_id)
    .where("parent_id", "=", task.trigger_message_id)
    .where("author_type", "=", "system")
    .where("text", "=", words)
    .executeTakeFirst();
  return said !== undefined;
}

/**
 * Gives a task a run with as much of its context as fits, of a size or less.
 * @returns null: not even the least fits, and the task has failed
 */
export async function giveRun(
  { bus, settings }: Pick<AnswerDeps, "bus" | "settings">,
  change: WorkspaceChange,
  before: TaskTable,
  config: AgentConfig,
  prepared: PreparedContext,
  from: ContextSize,
): Promise<TaskTable | null> {
  const fitting = await prepared.fitting(change.tables, before, config, from);
  const task = prepared.used.reduce((sum, used) => ({ ...sum, ...withUsed(sum, used) }), before);
  const { prompt } = JSON.parse(task.input_json) as TaskInput;
  const asked = {
    trust: await trustOfTask(change.tables, task.workspace_id, config),
    maxCostUsd: allowanceOf(task),
    maySearch: task.task_type === "message_response" && asksToSearch(prompt),
  };
  const request =
    fitting.kind === "context" ? answerRequest(nextRunId(), config, fitting.context, settings(), asked) : undefined;
  if (fitting.kind === "too_long" || request === undefined || messageBytes(request) > mostMessageBytes(bus)) {
    const words = failureWords("too_long", config.display_name);
    await endFailed(change, task, { words, why: "it is more than the bus takes" });
    return null;
  }
  const { context, size } = fitting;
  return setTask(change, task, {
    ...runOf(request),
    status: "running",
    started_at: task.started_at ?? change.now,
    context_size: size,
    waits_until: null,
    token_usage_json: task.token_usage_json,
    cost_usd: task.cost_usd,
    input_json: JSON.stringify({ prompt, contextMessageIds: context.messageIds } satisfies TaskInput),
  });
}

/** Computes what the task's earlier runs have left of its cost. */
const allowanceOf = ({ allowance_usd, cost_usd }: TaskTable): number | null =>
  allowance_usd === null ? null : Math.max(0, allowance_usd - (cost_usd ?? 0));

/** Another id for the same request: somebody else has taken that one. */
export async function giveOtherId(change: WorkspaceChange, task: TaskTable): Promise<TaskTable> {
  const request = JSON.parse(task.request_json ?? "") as Request;
  return setTask(change, task, runOf({ ...request, ts: nextRunId() }));
}

const runOf = (request: Request) => ({ run_id: String(request.ts), request_json: JSON.stringify(request) });

/** Sub-tasks: a task ends when they have ended, and when it fails, they are stopped. */
import type { InboxItem, AgentTurn } from "../../protocol/agents/agent-files.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { cancelTurn } from "../record/cancel-turn.ts";
import { taskAfter } from "./task-state-machine.ts";

/** Id of the one message that reports the end of a task's turn. */
export const endId = (taskId: string, runId: string) => `task-${taskId}-${runId}`;
/** Id of the one that reports that a task waits for an answer. */
export const questionId = (taskId: string, runId: string) => `asks-${taskId}-${runId}`;

/** Whether an agent's tasks have yet to report something that starts a turn: then this turn isn't the agent's end. */
export function awaitsTasks(agent: AgentRecord, turn: Pick<AgentTurn, "items">): boolean {
  return agent.tasks.some(isAwaited) || unreadReports(agent, turn).length > 0;
}

/**
 * Stops the tasks of an agent that has failed: nobody waits for them any more. Reports of theirs that it hasn't read are
 * dropped. Safe to repeat.
 */
export async function stopTasks(agent: AgentRecord, turn: Pick<AgentTurn, "items">): Promise<void> {
  for (const task of agent.tasks) if (isUnfinished(task)) await stopTask(task);
  await agent.inbox.settleItems(unreadReports(agent, turn).map(({ id }) => id));
}

async function stopTask(task: AgentRecord): Promise<void> {
  const { state, inbox } = task;
  if (!state.task) return;
  const isAtWork = state.turn !== null;
  const unwanted = { ...state.task, is_unwanted: true };
  await task.update(isAtWork ? { task: unwanted } : taskAfter(unwanted, "unwanted"));
  const { items = [] } = state.turn ?? {};
  await inbox.settleItems(inbox.waiting.flatMap(({ id }) => (items.includes(id) ? [] : [id])));
  for (const one of task.tasks) if (isUnfinished(one)) await stopTask(one);
  await cancelTurn(task);
}

/** The input of a task that is kept with its state, and doesn't stand in its inbox yet. */
export function pendingInputOf({ state: { task }, inbox }: AgentRecord): InboxItem | undefined {
  const { owed: pendingInput, is_unwanted } = task ?? {};
  return pendingInput && !is_unwanted && !inbox.knows(pendingInput.id) ? pendingInput : undefined;
}

/** Reports of an agent's tasks that aren't part of this turn. */
export function unreadReports({ inbox }: AgentRecord, { items }: Pick<AgentTurn, "items">): InboxItem[] {
  return inbox.waiting.filter(
    ({ id, origin = "", silent }) => origin.startsWith("task:") && !silent && !items.includes(id),
  );
}

/** Whether an agent has asked to write somewhere, and its user's answer hasn't reached it. */
export function awaitsPermission({ id, deps }: AgentRecord): boolean {
  return deps.questionsOf(id).some((question) => question.write_path !== undefined);
}

/** Whether a task, or one below it, hasn't ended yet. */
function isUnfinished({ tasks, hasWork, state: { lifecycle } }: AgentRecord): boolean {
  return hasWork || lifecycle === "active" || tasks.some(isUnfinished);
}

/** Whether a task will report something without anybody's doing. */
function isAwaited(task: AgentRecord): boolean {
  const { state, inbox } = task;
  const { turn, lifecycle } = state;
  if (state.task?.is_unwanted) return false;
  const isNext = inbox.waiting.some(({ id, silent }) => !silent && !turn?.items.includes(id));
  // A task's end is reported before it is kept: its parent may be quicker.
  if (turn && !isNext && hasReported(task.parent, task.id, turn)) return false;
  if (task.hasWork || pendingInputOf(task)) return true;
  if (lifecycle === "ended") return false;
  // It waits for tasks of its own, or for its user's decision.
  if (task.tasks.some(isAwaited)) return true;
  return state.task?.state === "waiting" && awaitsPermission(task);
}

const hasReported = (parent: AgentRecord | undefined, id: string, { run_id }: AgentTurn) =>
  parent?.inbox.knows(endId(id, run_id)) || parent?.inbox.knows(questionId(id, run_id)) || false;

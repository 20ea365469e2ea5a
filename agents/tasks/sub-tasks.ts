/** The tasks of a task: it ends when they have ended, and when it fails, they are stopped. */
import type { InboxItem, Turn } from "../../protocol/agents/agent-files.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { cancelTurn } from "../record/cancel-turn.ts";

/** Of the one message that tells how a turn of a task has ended. */
export const endId = (taskId: string, runId: string) => `task-${taskId}-${runId}`;
/** Of the one that tells that it waits for an answer. */
export const questionId = (taskId: string, runId: string) => `asks-${taskId}-${runId}`;

/** Whether tasks of an agent have yet to tell it something that it will think about: then this turn isn't its end. */
export function awaitsTasks(agent: AgentRecord, turn: Pick<Turn, "items">): boolean {
  return agent.tasks.some(isAwaited) || untold(agent, turn).length > 0;
}

/**
 * Stops all that an agent has sent off, since it has failed: nobody waits for it any more. What they have told and it
 * hasn't heard, it needn't hear. Safe to repeat.
 */
export async function stopTasks(agent: AgentRecord, turn: Pick<Turn, "items">): Promise<void> {
  for (const task of agent.tasks) if (goesOn(task)) await stopTask(task);
  await agent.inbox.settle(untold(agent, turn).map(({ id }) => id));
}

async function stopTask(task: AgentRecord): Promise<void> {
  const { state, inbox } = task;
  if (!state.task) return;
  const isAtWork = state.turn !== null;
  await task.update({
    task: { ...state.task, is_unwanted: true, ...(!isAtWork && { state: "failed" }) },
    ...(!isAtWork && { lifecycle: "ended" }),
  });
  const { items = [] } = state.turn ?? {};
  await inbox.settle(inbox.waiting.flatMap(({ id }) => (items.includes(id) ? [] : [id])));
  for (const one of task.tasks) if (goesOn(one)) await stopTask(one);
  await cancelTurn(task);
}

/** What a task is yet to be told: kept with its state, and not in its inbox. */
export function owedTo({ state: { task }, inbox }: AgentRecord): InboxItem | undefined {
  const { owed, is_unwanted } = task ?? {};
  return owed && !is_unwanted && !inbox.knows(owed.id) ? owed : undefined;
}

/** What tasks have told an agent that is no part of this turn. */
export function untold({ inbox }: AgentRecord, { items }: Pick<Turn, "items">): InboxItem[] {
  return inbox.waiting.filter(
    ({ id, origin = "", silent }) => origin.startsWith("task:") && !silent && !items.includes(id),
  );
}

/** Whether a task, or one below it, isn't over yet. */
function goesOn({ tasks, hasWork, state: { lifecycle } }: AgentRecord): boolean {
  return hasWork || lifecycle === "active" || tasks.some(goesOn);
}

/** Whether a task will tell something of itself without anybody's doing. */
function isAwaited(task: AgentRecord): boolean {
  const { state, inbox } = task;
  const { turn, asked, lifecycle } = state;
  if (state.task?.is_unwanted) return false;
  const isNext = inbox.waiting.some(({ id, silent }) => !silent && !turn?.items.includes(id));
  // Its end is told before it is noted: whoever hears it may be quicker.
  if (turn && !isNext && isTold(task.parent, task.id, turn)) return false;
  if (task.hasWork || owedTo(task)) return true;
  if (lifecycle === "ended") return false;
  // Behind others; or its user is to decide.
  if (task.tasks.some(isAwaited)) return true;
  return state.task?.state === "waiting" && asked.some(({ decision }) => decision === undefined);
}

const isTold = (parent: AgentRecord | undefined, id: string, { run_id }: Turn) =>
  parent?.inbox.knows(endId(id, run_id)) || parent?.inbox.knows(questionId(id, run_id)) || false;

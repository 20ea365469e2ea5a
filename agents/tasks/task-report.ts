/**
 * Reports of a task to its parent: one for each turn, however that ended, except while the task waits for its own sub-tasks
 * or its user.
 */
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import type { InboxItem, AgentTurn } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { decidedId } from "../permissions/question-text.ts";
import { nextTaskState, type TaskInput, taskAfter } from "./task-state-machine.ts";
import {
  awaitsPermission,
  awaitsTasks,
  endId,
  pendingInputOf,
  questionId,
  stopTasks,
  unreadReports,
} from "./sub-tasks.ts";

/** Most characters of a result in a report; a longer one is read with task_replay. */
const longestResult = 32_000;

export async function reportTask(
  agent: AgentRecord,
  turn: Pick<AgentTurn, "run_id" | "items">,
  last: AgentEvent,
  wasStopped: boolean,
): Promise<void> {
  const { deps, state, descriptor } = agent;
  const { task } = state;
  const { parent } = descriptor;
  if (!task || parent === undefined) return;
  const isDone = last.event === "finish";
  // Told before, and again after a crash, it is the same question.
  const asksParent = task.needs_answer || agent.parent?.inbox.knows(questionId(agent.id, turn.run_id));
  // It goes on when its user has decided: this isn't its end.
  if (isDone && !asksParent && awaitsDecision(agent, turn)) return agent.update(taskAfter(task, "asksUser"));
  if (isDone && !asksParent && awaitsTasks(agent, turn)) return agent.update(taskAfter(task, "awaitsTasks"));
  if (!isDone) await stopTasks(agent, turn);
  const input: TaskInput = !isDone ? "failed" : asksParent ? "asksParent" : "finished";
  const outcome = nextTaskState(task.state, input);
  const said = isDone ? textField(last, "result") : wasStopped ? "it was stopped" : textField(last, "error");
  const heading =
    outcome === "waiting"
      ? `${taskHeading(agent, "needs clarification")}\nresume_task("${agent.id}", answer) lets it go on.`
      : taskHeading(agent, outcome);
  await postToParent(agent, {
    // One report for each turn, also after a crash.
    id: (outcome === "waiting" ? questionId : endId)(agent.id, turn.run_id),
    ts: Date.now(),
    type: "system",
    origin: `task:${agent.id}`,
    text: `${heading}\n\n${shortened(said)}`,
    ...(task.channel && { channel: task.channel }),
  });
  // More input may have come meanwhile: then it goes on at once.
  const more = isDone ? [] : unreadReports(agent, turn);
  const isNext = (item: InboxItem) => !item.silent && !turn.items.includes(item.id) && !more.includes(item);
  const hasMore = pendingInputOf(agent) !== undefined || agent.inbox.waiting.some(isNext);
  await agent.update(taskAfter({ ...task, ...agent.state.task, needs_answer: false }, hasMore ? "hasMore" : input));
  // Nothing wakes it any more: drop what came until then.
  if (!isDone) await stopTasks(agent, turn);
  deps.publishEvent(parent, "task_ended", { task_id: agent.id, outcome });
}

/** Posts to a task's parent. A parent that has ended isn't woken by it, and one that can't be read gets nothing. */
export async function postToParent(task: AgentRecord, item: InboxItem): Promise<void> {
  const { deps, descriptor, state, id, parent } = task;
  if (!parent) {
    deps.log.warn({ agent: descriptor.parent, task: id }, "the end of a task can't be told: its parent can't be read");
    return;
  }
  const isOver = parent.state.lifecycle === "ended";
  const silent = isOver || (state.task?.is_unwanted ?? false) || (item.silent ?? false);
  await parent.post({ ...item, ...(silent && { silent }) });
}

/** First lines of a report: which task, how it is, and where it was asked for. */
export function taskHeading({ id, state: { task } }: AgentRecord, how: string): string {
  const heading = `[Task ${id} ${how}] ${task?.description ?? ""}`;
  if (!task?.channel) return heading;
  const { type: channelType, channelId, replyTo } = task.channel;
  const where = Object.entries({ channelId, channelType, replyTo }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${JSON.stringify(visibleLine(value))}`],
  );
  return `${heading}\nasked on: ${where.join(", ")}`;
}

/** Whether a permission that a task has asked for is open, or was decided while it was at work. */
function awaitsDecision(agent: AgentRecord, { items }: Pick<AgentTurn, "items">): boolean {
  const isNews = (item: InboxItem) => item.id.startsWith(decidedId("")) && !items.includes(item.id);
  return awaitsPermission(agent) || agent.inbox.waiting.some(isNews);
}

function shortened(text: string): string {
  return text.length <= longestResult ? text : `${text.slice(0, longestResult)} …\n[cut: task_replay shows all of it]`;
}

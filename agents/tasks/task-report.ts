/**
 * What becomes of a task is told to whoever has sent it off: once for each of its turns, however that ended, but for those
 * behind which it waits: for what it has sent off itself, or for its user.
 */
import { visibleLine } from "../../conversation/plain-text.ts";
import type { InboxItem, Turn } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { decidedId } from "./permissions.ts";
import { awaitsTasks, endId, owedTo, questionId, stopTasks, untold } from "./sub-tasks.ts";

/** A result that is longer is read with task_replay. In characters. */
const longestResult = 32_000;

export async function reportTask(
  agent: AgentRecord,
  turn: Pick<Turn, "run_id" | "items">,
  last: AgentEvent,
  wasStopped: boolean,
): Promise<void> {
  const { deps, state, descriptor } = agent;
  const { task } = state;
  const { parent } = descriptor;
  if (!task || parent === undefined) return;
  const isDone = last.event === "finish";
  // It goes on when its user has decided: that is its end, and this isn't.
  if (isDone && !task.needs_answer && awaitsDecision(agent, turn))
    return agent.update({ task: { ...task, state: "waiting" } });
  if (isDone && !task.needs_answer && awaitsTasks(agent, turn))
    return agent.update({ task: { ...task, state: "running" } });
  if (!isDone) await stopTasks(agent, turn);
  const outcome = !isDone ? "failed" : task.needs_answer ? "waiting" : "completed";
  const said = isDone ? textField(last, "result") : wasStopped ? "it was stopped" : textField(last, "error");
  const heading =
    outcome === "waiting"
      ? `${taskHeading(agent, "needs clarification")}\nresume_task("${agent.id}", answer) lets it go on.`
      : taskHeading(agent, outcome);
  await tellParent(agent, {
    // One notice for each turn, whoever carried it to its end.
    id: (outcome === "waiting" ? questionId : endId)(agent.id, turn.run_id),
    ts: Date.now(),
    type: "system",
    origin: `task:${agent.id}`,
    text: `${heading}\n\n${shortened(said)}`,
    ...(task.channel && { channel: task.channel }),
  });
  // Something more may have been said to it meanwhile: then it goes on at once.
  const more = isDone ? [] : untold(agent, turn);
  const isNext = (item: InboxItem) => !item.silent && !turn.items.includes(item.id) && !more.includes(item);
  const goesOn = owedTo(agent) !== undefined || agent.inbox.waiting.some(isNext);
  await agent.update({
    lifecycle: goesOn || outcome === "waiting" ? "active" : "ended",
    task: { ...task, ...agent.state.task, state: goesOn ? "running" : outcome, needs_answer: false },
  });
  // Now nothing more wakes it: what came until then is passed over.
  if (!isDone) await stopTasks(agent, turn);
  deps.publishEvent(parent, "task_ended", { task_id: agent.id, outcome });
}

/** Tells whoever has sent a task off. One that has failed before isn't woken by it, and one that can't be read hears nothing. */
export async function tellParent(task: AgentRecord, item: InboxItem): Promise<void> {
  const { deps, descriptor, state, id, parent } = task;
  if (!parent) {
    deps.log.warn({ agent: descriptor.parent, task: id }, "the end of a task can't be told: its parent can't be read");
    return;
  }
  const isOver = parent.state.lifecycle === "ended";
  const silent = isOver || (state.task?.is_unwanted ?? false) || (item.silent ?? false);
  await parent.post({ ...item, ...(silent && { silent }) });
}

/** The first lines of what is told of a task: which one, how it is, and where it was asked for. */
export function taskHeading({ id, state: { task } }: AgentRecord, how: string): string {
  const heading = `[Task ${id} ${how}] ${task?.description ?? ""}`;
  if (!task?.channel) return heading;
  const { type: channelType, channelId, replyTo } = task.channel;
  const where = Object.entries({ channelId, channelType, replyTo }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${JSON.stringify(visibleLine(value))}`],
  );
  return `${heading}\nasked on: ${where.join(", ")}`;
}

/** Whether something that it has asked its user for is open, or was decided while it was at work. */
function awaitsDecision({ state: { asked }, inbox }: AgentRecord, { items }: Pick<Turn, "items">): boolean {
  const isWaiting = (id: string) => !items.includes(id) && inbox.waiting.some((item) => item.id === id);
  return asked.some(({ token, decision }) => decision === undefined || isWaiting(decidedId(token)));
}

function shortened(text: string): string {
  return text.length <= longestResult ? text : `${text.slice(0, longestResult)} …\n[cut: task_replay tells all of it]`;
}

/**
 * Slots: how many tasks of an agent are at work at once; the rest wait in order. Read off the records, so that a restart finds
 * the same. A task has its slot while a turn of its own is under way: one that waits for its own tasks holds up nobody.
 */
import type { AgentRecord } from "../record/agent-record.ts";

/** From docs/contract.md. */
const usualMost = 4;

export const mostTasksAtOnce = ({ deps }: Pick<AgentRecord, "deps">) =>
  deps.settings().agents?.max_parallel ?? usualMost;

/** Whether a task may begin its turn now. */
export function hasSlot(task: AgentRecord): boolean {
  const others = task.parent?.tasks.filter((other) => other !== task) ?? [];
  const before = others.filter((other) => isAtWork(other) || (isDue(other) && isBefore(other, task)));
  return before.length < mostTasksAtOnce(task);
}

/** Whether a task has something to do, and has to wait for others of its agent. */
export const isQueued = (task: AgentRecord) => isDue(task) && !hasSlot(task);

const isAtWork = ({ state, isBeginning }: AgentRecord) => state.turn !== null || isBeginning;
const isDue = (task: AgentRecord) => task.hasWork && !isAtWork(task);

function isBefore(one: AgentRecord, other: AgentRecord): boolean {
  const [a, b] = [dueSince(one), dueSince(other)];
  return a === b ? one.id < other.id : a < b;
}

const dueSince = ({ inbox }: AgentRecord) => inbox.waiting.find(({ silent }) => !silent)?.ts ?? 0;

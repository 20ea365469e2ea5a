/**
 * Slots: how many tasks of an agent, or threads of a stranger, are at work at once; the rest wait in order. Read off the records,
 * so that a restart finds the same. An agent has its slot while a turn of its own is under way: a task that waits for its own
 * tasks holds up nobody.
 */
import { speaksToStranger } from "../inbox/stranger-limits.ts";
import type { AgentRecord } from "../record/agent-record.ts";

/** From docs/contract.md. */
const usualMost = 4;

export const mostTasksAtOnce = ({ deps }: Pick<AgentRecord, "deps">) =>
  deps.settings().agents?.max_parallel ?? usualMost;

/** Whether an agent may begin its turn now. */
export const hasSlot = (agent: AgentRecord) =>
  isAmongFirst(agent, agent.parent?.tasks ?? [], mostTasksAtOnce(agent)) &&
  isAmongFirst(agent, threadsInTurn(agent), 1);

/** The agents that may have waited for the end of this one's turn. */
export const waitersFor = (agent: AgentRecord): AgentRecord[] =>
  [...(agent.parent?.tasks ?? []), ...threadsInTurn(agent)].filter((other) => isDue(other));

/**
 * The other threads of a stranger in a room. A turn may use what the stranger has left of the day: several at once would use it
 * several times.
 */
const threadsInTurn = (agent: AgentRecord) => (speaksToStranger(agent) ? agent.otherThreads : []);

function isAmongFirst(agent: AgentRecord, peers: readonly AgentRecord[], most: number): boolean {
  const others = peers.filter((other) => other !== agent);
  const before = others.filter((other) => isAtWork(other) || (isDue(other) && isBefore(other, agent)));
  return before.length < most;
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

/**
 * The life of a task as a table, total in every cell: what each input makes of each state. Pure.
 *
 * `running`: it has a turn, or will have one without anybody's doing. `waiting`: for an answer of its parent, or for its user to
 * decide. `completed`, `failed`: it has ended, and goes on when it gets another input, or a decision that it has asked for.
 */
import type { AgentState, TaskState } from "../../protocol/agents/agent-files.ts";

export type TaskInput =
  /** It was given another input. */
  | "resumed"
  /** A turn begins: because of an input, of a decision, or of what its own tasks report. */
  | "turnBegan"
  /** Its turn ended with a question to its parent. */
  | "asksParent"
  /** Its turn ended, and its user hasn't decided yet on a permission that it has asked for. */
  | "asksUser"
  /** Its turn ended, and its own tasks go on. */
  | "awaitsTasks"
  /** Its turn ended, and something is in its inbox. */
  | "hasMore"
  /** Its turn ended with a result. */
  | "finished"
  /** Its turn failed, was stopped, or couldn't begin. */
  | "failed"
  /** Its parent has failed while it had no turn. */
  | "unwanted";

const running: Record<TaskInput, TaskState> = {
  resumed: "running",
  turnBegan: "running",
  asksParent: "waiting",
  asksUser: "waiting",
  awaitsTasks: "running",
  hasMore: "running",
  finished: "completed",
  failed: "failed",
  unwanted: "failed",
};

/** Ends of turns stand in all rows, because after a crash the same end is told again. */
const table: Record<TaskState, Record<TaskInput, TaskState | "impossible">> = {
  running,
  waiting: {
    resumed: "running",
    turnBegan: "running",
    asksParent: "waiting",
    asksUser: "waiting",
    awaitsTasks: "impossible",
    hasMore: "running",
    finished: "impossible",
    failed: "failed",
    unwanted: "failed",
  },
  completed: {
    resumed: "running",
    turnBegan: "running",
    asksParent: "impossible",
    asksUser: "impossible",
    awaitsTasks: "impossible",
    hasMore: "running",
    finished: "completed",
    failed: "failed",
    // A task of its own still waits for an answer, and will get none.
    unwanted: "failed",
  },
  failed: {
    resumed: "running",
    turnBegan: "running",
    asksParent: "impossible",
    asksUser: "impossible",
    awaitsTasks: "impossible",
    hasMore: "running",
    finished: "impossible",
    failed: "failed",
    unwanted: "failed",
  },
};

type Task = NonNullable<AgentState["task"]>;

/**
 * The state after an input. What is impossible counts as if the task were running: in a journal of an earlier version, a task may
 * have a turn and not be.
 */
export function nextTaskState(state: TaskState, input: TaskInput): TaskState {
  const next = table[state][input];
  return next === "impossible" ? running[input] : next;
}

export const isImpossible = (state: TaskState, input: TaskInput) => table[state][input] === "impossible";

/** The change of an agent's state that an input makes. The agent of a task that has ended has ended as well. */
export function taskAfter(task: Task, input: TaskInput): Pick<AgentState, "lifecycle"> & { task: Task } {
  const state = nextTaskState(task.state, input);
  return { lifecycle: hasEnded(state) ? "ended" : "active", task: { ...task, state } };
}

const hasEnded = (state: TaskState) => state === "completed" || state === "failed";

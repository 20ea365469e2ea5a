/** The handling of a task whose run has ended. */
import { type ContextSize, contextSizes } from "../context/assemble-context.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import type { AgentConfig } from "../records/agent.ts";
import type { AnswerDeps } from "./deps/answer-deps.ts";
import { giveRun } from "./beginning/begin-answer.ts";
import { endCancelled, endCompleted, endFailed, keepHalf, type Used, withUsed } from "./ending/end-answer.ts";
import { failureWords } from "./outcome/failure-words.ts";
import type { PreparedContext } from "./beginning/prepared-context.ts";
import type { FailureKind, RunOutcome } from "./outcome/run-outcome.ts";

type EndOfRun = {
  outcome: RunOutcome;
  /** The text that it has said, should that not have become an answer. */
  said: string;
  used: Used;
};

/** @returns the task as it goes on with another run, or null */
export async function afterRun(
  deps: AnswerDeps,
  change: WorkspaceChange,
  before: TaskTable,
  config: AgentConfig,
  { outcome, said, used }: EndOfRun,
  prepared: PreparedContext,
): Promise<TaskTable | null> {
  const task = { ...before, ...withUsed(before, used) };
  if (task.status === "cancelled" || outcome.kind === "stopped") {
    await keepHalf(change, task, config, said);
    await endCancelled(change, task);
    return null;
  }
  if (outcome.kind === "answered") {
    await endCompleted(change, task, config, outcome);
    return null;
  }
  if (outcome.kind === "too_long") {
    const less = sizeBelow(task.context_size);
    if (less !== null) return giveRun(deps, change, task, config, prepared, less);
    return fail("too_long", "");
  }
  return fail(outcome.failure, outcome.why);

  async function fail(failure: FailureKind, why: string): Promise<null> {
    await keepHalf(change, task, config, said);
    await endFailed(change, task, { words: failureWords(failure, config.display_name), why });
    return null;
  }
}

function sizeBelow(size: string): ContextSize | null {
  const index = contextSizes.findIndex((one) => one === size);
  return contextSizes[index + 1] ?? null;
}

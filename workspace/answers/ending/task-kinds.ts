/** The handling of a task's end, by its kind. */
import type { WorkspaceChange } from "../../database/changes/change.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import { threadSummarized } from "../../background/thread-summarized.ts";
import { forkDrafted, forkDraftFailed } from "../../forks/resolve-fork.ts";
import { sayFailure } from "./system-message.ts";

export type TaskKind = {
  /** Whether its text is a message of its place, which grows as it comes. */
  isMessage: boolean;
  /** In the change that ends it. */
  whenCompleted: (change: WorkspaceChange, task: TaskTable, text: string) => Promise<void>;
  /** In the change that ends it. @param words what people read */
  whenFailed: (change: WorkspaceChange, task: TaskTable, words: string) => Promise<void>;
  /** In the change that closes one that somebody has cancelled. */
  whenCancelled: (change: WorkspaceChange, task: TaskTable) => Promise<void>;
};

const nothing = async () => {};

export const taskKinds: Record<TaskTable["task_type"], TaskKind> = {
  message_response: {
    isMessage: true,
    whenCompleted: nothing,
    whenFailed: sayFailure,
    whenCancelled: nothing,
  },
  fork_resolution: {
    isMessage: false,
    whenCompleted: forkDrafted,
    whenFailed: forkDraftFailed,
    whenCancelled: (change, task) => forkDraftFailed(change, task, "It was cancelled."),
  },
  summary: {
    isMessage: false,
    whenCompleted: threadSummarized,
    whenFailed: nothing,
    whenCancelled: nothing,
  },
};

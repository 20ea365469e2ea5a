/** The questions of a conversation, parted into those of its tasks and those of the agent itself. Pure. */

type AskedTask = { taskId: string; run_id?: string | undefined; last_run?: string | undefined };

/** @returns the questions of each task by its id, and the others */
export function questionsOfTasks<Question extends { run: string | null }>(
  tasks: readonly AskedTask[],
  questions: readonly Question[],
): { ofTask: ReadonlyMap<string, readonly Question[]>; others: readonly Question[] } {
  const ofTask = new Map<string, Question[]>();
  const others: Question[] = [];
  for (const question of questions) {
    // Once its turn has ended, its run is the last one.
    const task = tasks.find(
      ({ run_id, last_run }) => question.run !== null && [run_id, last_run].includes(question.run),
    );
    if (task === undefined) others.push(question);
    else ofTask.set(task.taskId, [...(ofTask.get(task.taskId) ?? []), question]);
  }
  return { ofTask, others };
}

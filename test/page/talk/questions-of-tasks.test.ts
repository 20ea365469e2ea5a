/** The questions of a conversation and its tasks. */
import { expect, test } from "vitest";
import { questionsOfTasks } from "../../../page/talk/questions-of-tasks.ts";

const shown = (tasks: Parameters<typeof questionsOfTasks>[0]) => {
  const questions = ["1", "2", null].map((run, at) => ({ id: `q${at}`, run }));
  const { ofTask, others } = questionsOfTasks(tasks, questions);
  return [
    Object.fromEntries([...ofTask].map(([task, all]) => [task, all.map(({ id }) => id)])),
    others.map(({ id }) => id),
  ];
};

test("a question of a task's turn stays the task's when the turn has ended, and in its next turn", () => {
  expect(shown([{ taskId: "a", run_id: "1" }, { taskId: "b" }])).toEqual([{ a: ["q0"] }, ["q1", "q2"]]);
  expect(shown([{ taskId: "a", last_run: "1" }])).toEqual([{ a: ["q0"] }, ["q1", "q2"]]);
  expect(shown([{ taskId: "a", last_run: "1", run_id: "2" }])).toEqual([{ a: ["q0", "q1"] }, ["q2"]]);
});

test("a question without a run is no task's", () => {
  expect(shown([{ taskId: "a" }])).toEqual([{}, ["q0", "q1", "q2"]]);
});

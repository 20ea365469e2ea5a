import { expect, test } from "vitest";
import { nextTasks, type OpenTask } from "../../../../workspace/answers/admission/schedule.ts";

const most = { tasks_at_once: 2, tasks_at_once_in_workspace: 4 };
const task = (id: string, thread: string, fields: Partial<OpenTask> = {}): OpenTask => ({
  id,
  workspace_id: "w",
  thread_id: thread,
  status: "queued",
  after_task_id: null,
  ...fields,
});
const busyIn = (thread_id: string) => ({ thread_id, isForPerson: false });
const next = (open: OpenTask[], atWork: Record<string, string> = {}, held: string[] = []) => {
  const busy = new Map(Object.entries(atWork).map(([id, thread]) => [id, busyIn(thread)]));
  return nextTasks(open, busy, new Set(held), most).map(({ id }) => id);
};

test("a thread's tasks begin in order, as many as may at once, and a full thread holds up no other", () => {
  const open = [task("1", "a"), task("2", "a"), task("3", "a"), task("4", "b")];
  expect(next(open)).toEqual(["1", "2", "4"]);
  expect(next(open, { "1": "a", "2": "a" })).toEqual(["4"]);
});

test("a workspace has a limit beside that of its threads", () => {
  expect(next(["a", "b", "c", "d", "e"].map((thread) => task(thread, thread)))).toEqual(["a", "b", "c", "d"]);
});

test("what a former engine began goes on, however much is at work", () => {
  const open = [task("1", "a", { status: "running" }), task("2", "a", { status: "cancelled" }), task("3", "a")];
  expect(next(open, { x: "a", y: "a" })).toEqual(["1", "2"]);
});

test("a task waits for the one on whose answer it begins, and takes no place meanwhile", () => {
  const open = [task("1", "a"), task("2", "a", { after_task_id: "1" }), task("3", "a")];
  expect(next(open)).toEqual(["1", "3"]);
  expect(next([task("2", "a", { after_task_id: "1" })])).toEqual(["2"]);
});

test("a task that was held is looked at again without taking a place from others", () => {
  const open = [task("1", "a"), task("2", "a"), task("3", "a"), task("4", "a")];
  expect(next(open, {}, ["1"])).toEqual(["1", "2", "3"]);
});

test("a task whose run waits for a person takes no place", () => {
  const open = [task("1", "a", { status: "running" }), task("2", "a", { status: "running" }), task("3", "a")];
  const atWork = new Map([
    ["1", busyIn("a")],
    ["2", { ...busyIn("a"), isForPerson: true }],
  ]);
  expect(nextTasks(open, atWork, new Set(), most).map(({ id }) => id)).toEqual(["3"]);
});

import { expect, test } from "vitest";
import { SessionPlan } from "../../../acp/updates/plan.ts";

const entry = (content: string, status: string) => ({ content, status, priority: "medium" });
const path = "facets/garden/todos/20260101.md";

test("todos that a run reads, adds, does and cancels are its plan", () => {
  const plan = new SessionPlan();
  expect(plan.next("todo_list", {}, `${path}:1: - [x] Dig\n${path}:2: - [ ] Sow`)).toEqual([
    entry("Dig", "completed"),
    entry("Sow", "pending"),
  ]);
  expect(plan.next("todo_add", {}, `${path}:3: - [ ] Water: twice`)).toEqual([
    entry("Dig", "completed"),
    entry("Sow", "pending"),
    entry("Water: twice", "pending"),
  ]);
  expect(plan.next("todo_done", {}, `${path}:2: - [x] Sow`)?.[1]).toEqual(entry("Sow", "completed"));
  expect(plan.next("todo_cancel", {}, `${path}:3: - [-] Water: twice`)).toHaveLength(2);
});

test("a list that is read again takes the place of what was known of it, and only a change is told", () => {
  const plan = new SessionPlan();
  const list = `${path}:1: - [ ] Dig`;
  plan.next("todo_list", {}, `${list}\n${path}:2: - [ ] Sow`);
  expect(plan.next("todo_list", {}, list)).toEqual([entry("Dig", "pending")]);
  expect(plan.next("todo_list", {}, list)).toBeNull();
  expect(plan.next("grep", {}, `${path}:9: - [ ] Not a todo's tool`)).toBeNull();
});

test("the list of Claude's program is the plan", () => {
  const plan = new SessionPlan();
  const todos = [
    { content: "Dig", status: "in_progress", activeForm: "Digging" },
    { content: "Sow", status: "soon" },
  ];
  expect(plan.next("TodoWrite", { todos }, "ok")).toEqual([entry("Dig", "in_progress"), entry("Sow", "pending")]);
  expect(plan.next("TodoWrite", { todos: "none" }, "ok")).toBeNull();
});

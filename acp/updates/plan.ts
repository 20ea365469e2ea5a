/** The plan of a session: the todos that its run has read and changed, as its tools tell them. Pure. */
import type { PlanEntry } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { parseTodo, type Todo } from "../../journal/entries/todos.ts";

const todoTools = new Set(["todo_list", "todo_add", "todo_done", "todo_cancel", "todo_upcoming"]);

/** The todos of the backend `claude`, whose program keeps a list of its own. */
const ClaudeTodos = z.looseObject({
  todos: z.array(
    z.looseObject({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]).catch("pending") }),
  ),
});

export class SessionPlan {
  /** By where each stands. */
  #entries = new Map<string, PlanEntry>();

  /** Takes the end of a call. Returns the whole plan where it has changed. */
  next(tool: string, args: unknown, result: unknown): PlanEntry[] | null {
    if (tool === "TodoWrite") return this.#replace(args);
    if (!todoTools.has(tool) || typeof result !== "string") return null;
    const before = JSON.stringify(this.entries);
    const todos = result.split("\n").flatMap((line) => readTodo(line) ?? []);
    if (tool === "todo_list") for (const { path } of todos) this.#forget(path);
    for (const { place, state, text } of todos) this.#take(place, state, text);
    const { entries } = this;
    return JSON.stringify(entries) === before ? null : entries;
  }

  get entries(): PlanEntry[] {
    return [...this.#entries.values()];
  }

  #replace(args: unknown): PlanEntry[] | null {
    const told = ClaudeTodos.safeParse(args);
    if (!told.success) return null;
    this.#entries = new Map(
      told.data.todos.map(({ content, status }, index) => [String(index), { content, status, priority: "medium" }]),
    );
    return this.entries;
  }

  #forget(path: string): void {
    for (const place of this.#entries.keys()) if (place.startsWith(`${path}:`)) this.#entries.delete(place);
  }

  /** The protocol knows no todo that is cancelled: it leaves the plan. */
  #take(place: string, state: Todo["state"], text: string): void {
    if (state === "cancelled") this.#entries.delete(place);
    else
      this.#entries.set(place, {
        content: text,
        status: state === "done" ? "completed" : "pending",
        priority: "medium",
      });
  }
}

/** A line as the tools of the pack `todo` print it: `path:line: - [x] text`. */
function readTodo(line: string) {
  const end = line.indexOf(": - [");
  const todo = end === -1 ? null : parseTodo(line.slice(end + ": ".length));
  return todo && { path: line.slice(0, line.lastIndexOf(":", end - 1)), place: line.slice(0, end), ...todo };
}

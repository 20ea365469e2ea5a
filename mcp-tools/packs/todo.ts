/** The pack `todo`: the todos of facets, a list for each day. */
import { z } from "zod";
import { listFacets } from "../../journal/notes/facets.ts";
import { addTodo, parseTodo, settleTodo, todosOf } from "../../journal/entries/todos.ts";
import type { Edit } from "../../journal/editing/tool-calls.ts";
import { upcomingTodos } from "../../journal/entries/upcoming-todos.ts";
import { bounded, day, facetName, lineNumber, maxLines, oneLine, placeFields, today } from "../tool/arguments.ts";
import { defineTool, reads, type Tool, writes } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";

const state = z.enum(["open", "done", "cancelled"]);
const todo = z.object({ line: placeFields.line, state, text: z.string() });
const ofDay = "The day whose list it is, YYYYMMDD. Default: today.";

const todoList = defineTool({
  name: "todo_list",
  title: "List todos",
  description:
    "The todos of a facet for a day: open [ ], done [x] and cancelled [-]. Returns path:line: todo. " +
    "todo_upcoming gives what is open from a day on.",
  input: { facet: facetName, day: day(ofDay).optional() },
  output: { path: placeFields.path, facet: z.string(), day: z.string(), todos: z.array(todo) },
  annotations: reads,
  run(args, context) {
    const { facet, day: on = today(context) } = args;
    const { path, todos } = todosOf(context.journal, facet, on);
    const text = bounded(todos.map((one) => `${path}:${one.line}: ${written(one)}`));
    return {
      text: text || `no todos of ${on} in facet "${facet}"`,
      structured: { path, facet, day: on, todos: todos.slice(0, maxLines) },
    };
  },
});

const todoUpcoming = defineTool({
  name: "todo_upcoming",
  title: "Upcoming todos",
  description:
    "The open todos of today and later, of one facet or of all. It also says how many of earlier days are still open. " +
    "Returns path:line: todo.",
  input: { facet: facetName.optional(), day: day("From this day on, YYYYMMDD. Default: today.").optional() },
  output: {
    day: z.string(),
    todos: z.array(z.object({ facet: z.string(), day: z.string(), path: placeFields.path, ...todo.shape })),
    is_cut: z.boolean().meta({ description: "Whether there are more, on later days." }),
    earlier: z.object({ count: z.number().int(), from: z.string().optional() }).meta({
      description: "The todos of the days before that are still open, and the first of these days.",
    }),
  },
  annotations: reads,
  run(args, context) {
    const { day: from = today(context), facet } = args;
    const names = facet === undefined ? listFacets(context.journal).map(({ name }) => name) : [facet];
    const found = names.map((name) => upcomingTodos(context.journal, name, from));
    const todos = found.flatMap((one) => one.todos).toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
    const count = found.reduce((sum, { earlier }) => sum + earlier.count, 0);
    const [first] = found.flatMap(({ earlier }) => earlier.from ?? []).toSorted();
    const cutAt = found.flatMap((one) => one.cutAt ?? []).toSorted()[0];
    const notes = [
      ...(cutAt === undefined ? [] : [`[there may be more: go on with day: ${cutAt}]`]),
      ...(first === undefined ? [] : [`[${count} of earlier days still open: ask with day: ${first}]`]),
      ...found.flatMap(({ problems }) => problems.map((problem) => `[${problem}]`)),
    ];
    const lines = bounded(todos.map((one) => `${one.path}:${one.line}: ${written(one)}`));
    const where = facet === undefined ? "" : ` in facet "${facet}"`;
    return {
      text: [lines || `no open todos from ${from} on${where}`, ...notes].join("\n"),
      structured: {
        day: from,
        todos: todos.slice(0, maxLines),
        is_cut: cutAt !== undefined || todos.length > maxLines,
        earlier: { count, ...(first !== undefined && { from: first }) },
      },
    };
  },
});

const changedTodo = { ...placeFields, ...todo.shape, changed: z.boolean() };

const todoAdd = defineTool({
  name: "todo_add",
  title: "Add a todo",
  description: "Add an open todo to a facet's list for a day.",
  input: {
    facet: facetName,
    day: day("The day on which it is to be done, YYYYMMDD. Default: today.").optional(),
    text: oneLine(1_000, "The thing to do, in one line."),
  },
  output: changedTodo,
  annotations: writes({ destructive: false, idempotent: false }),
  async run(args, context, once) {
    if (parseTodo(args.text)) throw new ToolError('text: give what is to be done alone, without "- [ ]"');
    return answerOf(await addTodo(context.journal, args.facet, args.day ?? today(context), args.text, once));
  },
});

const settling = (
  name: "todo_done" | "todo_cancel",
  target: "done" | "cancelled",
  title: string,
  description: string,
) =>
  defineTool({
    name,
    title,
    description: `${description} Name it by its line, by its text or a part of it that only it has, or by both to be sure.`,
    input: {
      facet: facetName,
      day: day(ofDay).optional(),
      line: lineNumber("Its line in the file, as todo_list gives it.").optional(),
      text: oneLine(1_000, "Its text, or a part of it.").optional(),
    },
    output: changedTodo,
    annotations: writes({ destructive: false, idempotent: true }),
    async run({ facet, day: on, line, text }, context, once) {
      const edit = await settleTodo(context.journal, facet, on ?? today(context), target, { line, text }, once);
      return answerOf(edit);
    },
  });

const todoDone = settling("todo_done", "done", "Mark a todo done", "Mark an open todo of a facet's list as done.");
const todoCancel = settling(
  "todo_cancel",
  "cancelled",
  "Cancel a todo",
  "Mark an open todo of a facet's list as cancelled. It stays in the list.",
);

export const todoPack: readonly Tool[] = [todoList, todoAdd, todoDone, todoCancel, todoUpcoming];

function answerOf({ path, line, text, changed }: Edit) {
  const { state, text: said } = parseTodo(text) ?? { state: "open" as const, text };
  const note = changed ? "" : " (it was so already)";
  return {
    text: `${path}:${line}: ${written({ state, text: said })}${note}`,
    structured: { path, line, state, text: said, changed },
  };
}

function written(one: { state: z.infer<typeof state>; text: string }): string {
  return `- [${{ open: " ", done: "x", cancelled: "-" }[one.state]}] ${one.text}`;
}

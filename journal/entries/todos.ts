/** The todos of a facet, `todos/<day>.md`: read, added and settled. Whatever else stands in the file stays as it is. */
import { folded } from "./folded-text.ts";
import { type EditDecision, editFile } from "../editing/edit-file.ts";
import { dayFile, type FacetFile, FacetFileError, readWhole } from "../editing/facet-file.ts";
import { type RawLine, splitLines, textOf, withLine } from "../../files/lines/raw-lines.ts";
import type { CallKey, Edit } from "../editing/tool-calls.ts";

export type TodoState = "open" | "done" | "cancelled";

export type Todo = {
  /** Its line in the file, from 1. */
  line: number;
  state: TodoState;
  text: string;
};

const marks = { open: " ", done: "x", cancelled: "-" } as const;

/** The todos of a day, in the order of the file, whose path is relative to the journal. None without a file. */
export function todosOf(journal: string, facet: string, day: string): { path: string; todos: Todo[] } {
  const file = dayFile(journal, facet, "todos", day);
  return { path: file.path, todos: readTodos(file) };
}

/** The todos of a file, whose lines that aren't todos are left out. */
export function readTodos(file: FacetFile): Todo[] {
  return todosIn(splitLines(readWhole(file)?.bytes ?? Buffer.alloc(0)));
}

/** The todo of a line that holds one. Indented ones count, and `[X]`, which editors write as well. */
export function parseTodo(text: string): Omit<Todo, "line"> | undefined {
  const [, mark, said] = /^[ \t]*- \[([ xX-])\][ \t]+(\S.*)$/su.exec(text) ?? [];
  if (mark === undefined || said === undefined) return undefined;
  return {
    state: mark === " " ? "open" : mark === "-" ? "cancelled" : "done",
    text: said.replace(/(?<![ \t])[ \t]+$/, ""),
  };
}

/** Adds an open todo at the end of a day's. */
export async function addTodo(
  journal: string,
  facet: string,
  day: string,
  text: string,
  once?: CallKey,
): Promise<Edit> {
  const file = dayFile(journal, facet, "todos", day);
  const line = `- [${marks.open}] ${text.trim()}`;
  if (!parseTodo(line)) throw new FacetFileError(`${JSON.stringify(text)} is not the text of a todo`);
  const add = (lines: RawLine[]): EditDecision => ({
    edit: { path: file.path, line: lines.length + 1, text: line, changed: true },
    lines: withLine(lines, line),
  });
  return await editFile(file, add, once);
}

/** By which a todo is found: its line, what it says, or both, which then must agree. */
export type TodoChoice = { line?: number | undefined; text?: string | undefined };

/**
 * Marks an open todo as done or cancelled: one byte of the file changes. One that is so already stays as it is.
 * @throws FacetFileError where the choice fits none or several, with those that it may have meant
 */
export async function settleTodo(
  journal: string,
  facet: string,
  day: string,
  state: Exclude<TodoState, "open">,
  choice: TodoChoice,
  once?: CallKey,
): Promise<Edit> {
  const file = dayFile(journal, facet, "todos", day);
  const settle = (lines: RawLine[]): EditDecision => {
    const todo = chosen(todosIn(lines), choice, state, file.path);
    const line = lines[todo.line - 1];
    if (!line) throw new Error(`${file.path} has no line ${todo.line}`);
    const edit = { path: file.path, line: todo.line };
    if (todo.state === state) return { edit: { ...edit, text: textOf(line), changed: false } };
    if (todo.state !== "open")
      throw new FacetFileError(`${file.path}:${shown(todo)} isn't open: add it again, or leave it`);
    const marked = { ...line, bytes: withMark(line.bytes, marks[state]) };
    return { edit: { ...edit, text: textOf(marked), changed: true }, lines: lines.with(todo.line - 1, marked) };
  };
  return await editFile(file, settle, once);
}

function todosIn(lines: readonly RawLine[]): Todo[] {
  return lines.flatMap((line, index) => {
    const todo = parseTodo(textOf(line));
    return todo ? [{ line: index + 1, ...todo }] : [];
  });
}

function withMark(bytes: Buffer, mark: string): Buffer {
  const marked = Buffer.from(bytes);
  marked.write(mark, bytes.indexOf("[") + 1);
  return marked;
}

function chosen(todos: Todo[], { line, ...choice }: TodoChoice, state: TodoState, path: string): Todo {
  const text = choice.text?.trim() === "" ? undefined : choice.text;
  if (line === undefined && text === undefined)
    throw new FacetFileError(`which todo? Give its line, its text or both. ${candidates(todos, path)}`);
  if (line !== undefined) {
    const found = todos.find((todo) => todo.line === line);
    if (!found) throw new FacetFileError(`line ${line} of ${path} has no todo. ${candidates(todos, path)}`);
    if (text !== undefined && !saysExactly(text)(found) && !mentions(text)(found))
      throw new FacetFileError(`line ${line} of ${path} was changed meanwhile. ${candidates(todos, path)}`);
    return found;
  }
  // What is settled already is meant only where nothing open is.
  const fitting = (text === undefined ? [] : [saysExactly(text), mentions(text)]).flatMap((fits) => [
    todos.filter((todo) => todo.state === "open" && fits(todo)),
    todos.filter((todo) => todo.state === state && fits(todo)),
    todos.filter(fits),
  ]);
  const found = fitting.find((some) => some.length > 0) ?? [];
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const problem = only ? `${found.length} todos of ${path} say` : `no todo of ${path} says`;
  throw new FacetFileError(`${problem} ${JSON.stringify(text)}. ${candidates(only ? found : todos, path)}`);
}

const saysExactly = (text: string) => (todo: Todo) => folded(todo.text) === folded(text);
const mentions = (text: string) => (todo: Todo) => folded(todo.text).includes(folded(text));

/** Todos that a message lists at most; of a longer list, the open ones matter. */
const maxCandidates = 30;

function candidates(todos: Todo[], path: string): string {
  if (todos.length === 0) return `${path} has no todos`;
  const open = todos.filter((todo) => todo.state === "open");
  const some = (todos.length > maxCandidates ? open : todos).slice(0, maxCandidates);
  const left = todos.length - some.length;
  return `Choose by line: ${some.map(shown).join("; ")}${left > 0 ? `; and ${left} more` : ""}`;
}

function shown({ line, state, text }: Todo): string {
  return `${line}: - [${marks[state]}] ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}

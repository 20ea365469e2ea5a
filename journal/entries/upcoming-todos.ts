/** The todos of a facet from a day on; and how many of those before are still open. */
import { dayFiles, type FacetFile, FacetFileError } from "../editing/facet-file.ts";
import { readTodos, type Todo } from "./todos.ts";

export type UpcomingTodo = Todo & { facet: string; day: string; path: string };

export type Upcoming = {
  /** The open ones, by day. */
  todos: UpcomingTodo[];
  /** The first day that wasn't looked at any more, since there was enough. */
  cutAt?: string;
  /** The open ones of the days before. Only the last days are looked at. */
  earlier: { count: number; from?: string };
  /** Files that can't be read, and why. They don't hide the others. */
  problems: string[];
};

/** How many todos one answer holds, and how many files are read for it: a day takes one. */
const maxTodos = 200;
const maxDays = 366;
const maxEarlierDays = 31;

/** @throws UnknownFacetError, FacetFileError */
export function upcomingTodos(journal: string, facet: string, from: string): Upcoming {
  const problems: string[] = [];
  const open = ({ day, file }: { day: string; file: FacetFile }) =>
    openIn(file, problems).map((todo) => ({ facet, day, path: file.path, ...todo }));
  const files = dayFiles(journal, facet, "todos");
  const todos: UpcomingTodo[] = [];
  let cutAt: string | undefined;
  for (const [index, later] of files.filter(({ day }) => day >= from).entries()) {
    if (index >= maxDays || todos.length >= maxTodos) {
      cutAt = later.day;
      break;
    }
    todos.push(...open(later));
  }
  const former = files.filter(({ day }) => day < from).slice(-maxEarlierDays);
  const earlier = former.flatMap(open);
  const [first] = earlier;
  return {
    todos,
    problems,
    ...(cutAt !== undefined && { cutAt }),
    earlier: { count: earlier.length, ...(first && { from: first.day }) },
  };
}

function openIn(file: FacetFile, problems: string[]): Todo[] {
  try {
    return readTodos(file).filter(({ state }) => state === "open");
  } catch (error) {
    if (!(error instanceof FacetFileError)) throw error;
    problems.push(error.message);
    return [];
  }
}

/** What was killed where, and how many of it went well, as a table. */
import { durablePoints } from "../../proc/durable-point.ts";
import type { Case } from "./cases.ts";

type Done = Case & { isReached: boolean; problems: string[] };

/** A row a point, a column a victim: passed/killed there. Those that ended before they got there aren't counted. */
export function tableOf(done: Done[]): string {
  const who = ({ killed }: Done) => (killed.length > 1 ? "all" : (killed[0] ?? ""));
  const columns = [...new Set(done.map(who))].toSorted();
  const cell = (point: string, column: string) => {
    const there = done.filter((one) => one.point === point && who(one) === column && one.isReached);
    return there.length === 0 ? "-" : `${there.filter(({ problems }) => problems.length === 0).length}/${there.length}`;
  };
  const rows = durablePoints.map((point) => [point, ...columns.map((column) => cell(point, column))]);
  const unreached = done.filter(({ isReached }) => !isReached).length;
  const line = ([first = "", ...rest]: string[]) =>
    `${first.padEnd(20)}${rest.map((text) => text.padStart(14)).join("")}\n`;
  const shown = rows.filter((row) => row.slice(1).some((text) => text !== "-"));
  return `${line(["", ...columns])}${shown.map(line).join("")}${unreached} ended before they came to their point\n`;
}

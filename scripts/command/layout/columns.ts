/** Rows of text as aligned columns. On a terminal the last column is cut to the width; in a pipe nothing is. */
import { stripVTControlCharacters } from "node:util";

const gap = "  ";

/** One line a row, its cells padded to the widest of their column. */
export function columns(rows: string[][], width = terminalWidth()): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => cell(row, at).length)));
  const lines = rows.map((row) =>
    widths
      .map((wide, at) => cell(row, at).padEnd(wide))
      .join(gap)
      .trimEnd(),
  );
  return lines.map((line) => (line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line)).join("\n");
}

/** Cleans a cell: a user's text may hold control characters, and none of them reaches the terminal. */
function cell(row: string[], at: number): string {
  return stripVTControlCharacters(row[at] ?? "")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
}

function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

/** The table of a benchmark: what it says of each row, for a terminal or for a page. Pure. */
import { columns } from "../../../scripts/command/layout/columns.ts";
import type { Row } from "./benchmark.ts";
import { median, rounded, spread } from "./spread.ts";

const heading = ["", "ours", "compared with", "ratio", "target", ""];

/**
 * @param judges whether it says if a target is met
 */
export function tableOf(rows: readonly Row[], judges: boolean): string {
  return columns([heading, ...rows.map((row) => cellsOf(row, judges))]);
}

/** The same as Markdown. */
export function markdownOf(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = rows.map((row) => line(cellsOf(row, true)));
  return [line(heading), line(heading.map(() => "---")), ...lines].join("\n");
}

/** The ratio of each round. */
export function ratiosOf({ ours, comparedWith }: Row): number[] | null {
  return comparedWith ? ours.map((figure, round) => figure / (comparedWith.figures[round] ?? Number.NaN)) : null;
}

function cellsOf(row: Row, judges: boolean): string[] {
  const { what, unit, ours, comparedWith } = row;
  const ratios = ratiosOf(row);
  return [
    what,
    `${spread(ours)} ${unit}`,
    comparedWith ? `${comparedWith.what}: ${rounded(median(comparedWith.figures))} ${unit}` : "",
    ratios ? spread(ratios) : "",
    targetText(row),
    judges ? verdict(row) : "",
  ];
}

function targetText({ target, comparedWith, unit }: Row): string {
  if (!target) return "";
  const [sign, value] = "atMost" in target ? ["≤", target.atMost] : ["≥", target.atLeast];
  return comparedWith ? `${sign} ${value} ×` : `${sign} ${value.toLocaleString("en")} ${unit}`;
}

/** Whether the median meets the target, or by how much it misses it. */
export function verdict(row: Row): string {
  const { target } = row;
  if (!target) return "";
  const value = median(ratiosOf(row) ?? row.ours);
  const miss = "atMost" in target ? value / target.atMost - 1 : 1 - value / target.atLeast;
  if (Number.isNaN(miss)) return "not measured";
  return miss <= 0 ? "met" : `missed by ${Math.ceil(miss * 100)} %`;
}

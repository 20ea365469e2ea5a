/** A table as styled text: columns of one width where they have room on a phone, else a line for each row. Pure. */
import type { Token, Tokens } from "marked";
import { type Piece, type Style, textOf, within } from "./styled-text.ts";

/** Characters of a line of code on a phone. */
const roomOfPhone = 40;

type Inline = (tokens: readonly Token[], styles: readonly Style[]) => Piece[];

export function tablePieces({ header, rows }: Tokens.Table, styles: readonly Style[], inline: Inline): Piece[] {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens, [])));
  const texts = cells.map((row) => row.map((cell) => textOf(cell)));
  const widths = header.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const width = widths.reduce((sum, one) => sum + one + gap.length, 0);
  const hasLink = cells.flat(2).some((piece) => piece.styles.some(({ tag }) => tag === "a"));
  const hasLines = texts.flat().some((text) => text.includes("\n"));
  if (width <= roomOfPhone && !hasLink && !hasLines) {
    const lines = texts.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join(gap)
        .trimEnd(),
    );
    const ruled = [lines[0], widths.map((one) => "─".repeat(one)).join(gap), ...lines.slice(1)];
    return [{ text: ruled.join("\n"), styles: within(styles, { tag: "pre", language: "" }) }];
  }
  return [header, ...rows].flatMap((row, index) => [
    ...(index === 0 ? [] : [{ text: "\n", styles }]),
    ...row.flatMap(({ tokens }, column) => [
      ...(column === 0 ? [] : [{ text: " | ", styles }]),
      ...inline(tokens, index === 0 ? within(styles, { tag: "b" }) : styles),
    ]),
  ]);
}

const gap = "  ";

/**
 * The lower end of the terminal: a row that says what goes on, and the row that is being typed; above them is the terminal's
 * own scrollback, which is never touched. The cursor stands at the first cell of these rows whenever nothing is written: wherever
 * a resized terminal moves them, and however it breaks them, all of them is erased from there on and nothing else is.
 */
import { cellsOf, cutTo, firstOf, headOf, tailOf } from "./cells.ts";

export type BottomRows = { status: string | null; before: string; after: string };

type Output = { columns?: number; write: (text: string) => unknown };

const csi = "\u001b[";
const erase = `\r${csi}J`;
const hideCursor = `${csi}?25l`;
const showCursor = `${csi}?25h`;
/** A row that is too long is cut, so that a row is a row whatever its characters are worth. */
const cutRows = `${csi}?7l`;
const breakRows = `${csi}?7h`;
const bracketedPaste = `${csi}?2004h`;
const plainPaste = `${csi}?2004l`;
const fallbackColumns = 80;

export class Screen {
  readonly #output: Output;
  #rows: string[] = [];
  #isOpen = false;

  constructor(output: Output) {
    this.#output = output;
  }

  open(): void {
    this.#isOpen = true;
    this.#output.write(`${bracketedPaste}${hideCursor}`);
  }

  /** Leaves the terminal as it was found; what was printed stays. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#rows = [];
    this.#output.write(`${erase}${breakRows}${plainPaste}${showCursor}`);
  }

  /** Prints above. The text ends up in the scrollback, broken by the terminal alone. */
  print(text: string): void {
    this.#output.write(`${erase}${text}\n${this.#drawn()}`);
  }

  /** Shows the rows as they are now; `isForced` also where they haven't changed: the terminal has. */
  show(bottom: BottomRows, isForced = false): void {
    if (!this.#isOpen) return;
    const rows = rowsOf(bottom, this.#output.columns ?? fallbackColumns);
    if (!isForced && rows.join("\n") === this.#rows.join("\n")) return;
    this.#rows = rows;
    this.#output.write(`${erase}${this.#drawn()}`);
  }

  #drawn(): string {
    const up = this.#rows.length > 1 ? `${csi}${this.#rows.length - 1}A` : "";
    return `${cutRows}${this.#rows.join("\r\n")}${breakRows}${up}\r`;
  }
}

/** The rows, each shorter than the terminal is wide. Exported for its test. */
export function rowsOf({ status, before, after }: BottomRows, columns: number): string[] {
  const cells = Math.max(4, columns - 1);
  const typed = typedRow(visible(before), visible(after), cells);
  return status === null ? [typed] : [dim(cutTo(status, cells)), typed];
}

/** Draws the typed text, as much of it as there is room for around the cursor. */
function typedRow(before: string, after: string, cells: number): string {
  const [under, behind] = firstOf(after);
  const left = cells - 2 - Math.max(1, cellsOf(under));
  const behindCells = Math.min(cellsOf(headOf(behind, left).text), Math.floor(left / 4));
  const head = tailOf(before, left - behindCells);
  const tail = headOf(behind, left - cellsOf(head.text));
  return `${head.isCut ? "‹" : ">"} ${head.text}${inverse(under || " ")}${tail.text}`;
}

const visible = (text: string) => text.replaceAll("\n", "⏎").replaceAll(/\p{Cc}/gu, " ");
const inverse = (text: string) => `${csi}7m${text}${csi}27m`;
const dim = (text: string) => (process.env["NO_COLOR"] ? text : `${csi}2m${text}${csi}22m`);

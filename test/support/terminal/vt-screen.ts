/**
 * A terminal as text: takes what a program prints, and says what stands on it, scrollback included. Lines are kept as they were
 * printed and broken at the width, so that another width breaks them anew, as tmux and most terminals do.
 */

const escape = String.fromCodePoint(27);
/** A control sequence, or a character. */
const next = new RegExp(`^(${escape}\\[([?0-9;]*)([A-Za-z])|[^${escape}])`, "su");

const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u;
/** The second cell of a wide character. */
const covered = "";

export class VtScreen {
  #columns: number;
  /** Each line is its cells. */
  #lines: string[][] = [[]];
  #line = 0;
  #at = 0;
  #breaks = true;
  #rest = "";

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The lines as they were printed, without those at the end that are empty. */
  get lines(): string[] {
    return this.#lines.map((cells) => cells.join("").trimEnd());
  }

  get text(): string {
    return this.lines.join("\n").trimEnd();
  }

  resize(columns: number): void {
    this.#columns = columns;
  }

  write(data: string): void {
    this.#rest += data;
    for (;;) {
      const [whole = "", , parameters = "", final = ""] = next.exec(this.#rest) ?? [];
      if (whole === "") return;
      this.#rest = this.#rest.slice(whole.length);
      if (final === "") this.#print(whole);
      else this.#control(parameters, final);
    }
  }

  #control(parameters: string, final: string): void {
    if (parameters === "?7") this.#breaks = final === "h";
    else if (final === "J") {
      this.#lines.length = this.#line + 1;
      this.#cells.length = Math.min(this.#cells.length, this.#at);
    } else if (final === "A") for (let up = Number(parameters || 1); up > 0; up -= 1) this.#up();
    else if (!["m", "h", "l"].includes(final)) throw new Error(`a control that nobody knows: ${parameters}${final}`);
  }

  #print(character: string): void {
    if (character === "\r") this.#at = this.#rowStart;
    else if (character === "\n") this.#down();
    else {
      const cells = wide.test(character) ? [character, covered] : [character];
      const end = this.#rowStart + this.#columns;
      if (!this.#breaks && this.#at + cells.length > end) this.#at = end - cells.length;
      this.#cells.splice(this.#at, cells.length, ...cells);
      this.#at += cells.length;
    }
  }

  #down(): void {
    const column = this.#at - this.#rowStart;
    const next = this.#rowStart + this.#columns;
    if (this.#cells.length > next) this.#at = next + column;
    else {
      this.#line += 1;
      if (this.#line === this.#lines.length) this.#lines.push([]);
      this.#at = column;
      while (this.#cells.length < column) this.#cells.push(" ");
    }
  }

  #up(): void {
    const column = this.#at - this.#rowStart;
    if (this.#rowStart > 0) this.#at = this.#rowStart - this.#columns + column;
    else {
      this.#line = Math.max(0, this.#line - 1);
      const rows = Math.max(1, Math.ceil(this.#cells.length / this.#columns));
      this.#at = (rows - 1) * this.#columns + column;
    }
  }

  /** A cursor behind the last cell of a full row still belongs to that row. */
  get #rowStart(): number {
    const row = Math.floor(this.#at / this.#columns);
    const isBehind = this.#at > 0 && this.#at % this.#columns === 0 && this.#at === this.#cells.length;
    return (isBehind ? row - 1 : row) * this.#columns;
  }

  get #cells(): string[] {
    return this.#lines[this.#line] as string[];
  }
}

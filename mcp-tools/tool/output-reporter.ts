/** Reports what a command prints as it comes. */
import type { ProgressReporter } from "./progress-reporter.ts";

/** A model needn't see each byte as it comes; whoever watches, soon. In ms. */
const tellEveryMs = 200;
const maxTold = 8_000;

/** Tells whoever watches what a command prints, in pieces that aren't too many. */
export class OutputReporter {
  readonly #reporter: ProgressReporter | undefined;
  #pending = "";
  #leftOut = 0;
  #pieces = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(reporter: ProgressReporter | undefined) {
    this.#reporter = reporter;
  }

  add(text: string): void {
    this.#pending += text;
    const over = Math.max(0, this.#pending.length - maxTold);
    this.#pending = this.#pending.slice(over).toWellFormed();
    this.#leftOut += over;
    this.#timer ??= setTimeout(() => this.flush(), tellEveryMs);
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const leftOut = this.#leftOut === 0 ? "" : `[${this.#leftOut} characters left out]\n`;
    if (this.#pending !== "") this.#reporter?.progress(++this.#pieces, undefined, leftOut + this.#pending);
    this.#pending = "";
    this.#leftOut = 0;
  }
}

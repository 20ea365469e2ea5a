/** A run's file as a chain: each line carries the hash of the one before, so that what was done to a line shows in the next. */
import { hash } from "node:crypto";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { parseEventLine } from "./event-line.ts";

/** 128 bits as hex: what `printf %s "$line" | sha256sum | cut -c-32` prints. */
export const hashDigits = 32;

/** Hashes a line: the value that the one behind it carries as `prev`. */
export function lineHash(line: string | Uint8Array): string {
  return hash("sha256", line, "hex").slice(0, hashDigits);
}

export type ChainProblem = { line: number; problem: string };

export type ChainReport = {
  /** `not_chained`: from before there was a chain, or of one line alone. */
  state: "intact" | "not_chained" | "broken";
  lines: number;
  /** The first line that is protected by a later one; null where none is. */
  chained_from: number | null;
  /** The hash of the last line: kept elsewhere, it shows later what was done to the file's end. */
  head: string | null;
  problems: ChainProblem[];
};

/** How a file ended when that was noted elsewhere: so many lines, the last with this hash. */
export type KeptEnd = { lines: number; head: string };

/** More than these are counted, not listed: a file that isn't a run's has one a line. */
const maxProblems = 100;

/** Reads a file line by line and finds what doesn't fit. */
export class ChainCheck {
  readonly #agentId: string;
  readonly #isActive: boolean;
  #lines = 0;
  #head: string | null = null;
  #chainedFrom: number | null = null;
  #hasTerminalEvent = false;
  #problems: ChainProblem[] = [];
  /** The lines that don't fit the ends that were kept: they count for a file without a chain as well. */
  #cut: ChainProblem[] = [];
  readonly #kept: readonly KeptEnd[];

  /**
   * @param isActive whether the run is in progress: then its end is not yet there
   * @param kept what its end was, once, and each time when something was appended
   */
  constructor(agentId: string, isActive: boolean, kept: readonly KeptEnd[] = []) {
    this.#agentId = agentId;
    this.#isActive = isActive;
    this.#kept = kept;
  }

  /** Takes the next whole line, without its LF. */
  push(bytes: Uint8Array): void {
    const number = ++this.#lines;
    const before = this.#head;
    this.#head = lineHash(bytes);
    this.#checkKept(number);
    const event = parseEventLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
    if (!event) return this.#noteProblem(number, "is not an event: it was changed, or torn");
    if (isTerminal(event)) this.#hasTerminalEvent = true;
    if (event.agent_id !== this.#agentId) this.#noteProblem(number, `belongs to the run ${event.agent_id}`);
    if (event.seq !== number)
      this.#noteProblem(number, `says that it is line ${event.seq}: lines were removed, added or moved`);
    this.#checkLink(event, number, before);
    const last = this.#kept.at(-1);
    // A later run goes on from it: that is the one thing which may come behind an end.
    if (last && number > last.lines && event.event !== "continue")
      this.#cut.push({ line: number, problem: "was added after the run had ended" });
  }

  #checkKept(number: number): void {
    if (this.#kept.some(({ lines, head }) => lines === number && head !== this.#head))
      this.#cut.push({
        line: number,
        problem: "differs from the line at the run's end: it, or a line before it, was changed",
      });
  }

  #checkLink({ prev }: AgentEvent, number: number, before: string | null): void {
    if (number === 1) return; // what may stand there is the request's own
    if (prev === before) {
      this.#chainedFrom ??= number - 1;
    } else if (typeof prev === "string" && /^[0-9a-f]{32}$/.test(prev)) {
      this.#chainedFrom ??= number - 1;
      this.#noteProblem(number - 1, `isn't what stood there when line ${number} was written`);
    } else if (this.#chainedFrom !== null) {
      this.#noteProblem(number, "carries no hash of the line before it");
    }
  }

  /** @param isTorn whether bytes without an LF follow the last line */
  report(isTorn: boolean): ChainReport {
    if (this.#chainedFrom !== null && !this.#isActive) {
      if (isTorn) this.#noteProblem(this.#lines + 1, "is torn: it has no end");
      else if (!this.#hasTerminalEvent)
        this.#noteProblem(this.#lines, "is the last, and no terminal event: lines are missing after it");
    }
    const most = this.#kept.reduce((lines, kept) => Math.max(lines, kept.lines), 0);
    if (this.#lines < most)
      this.#cut.push({
        line: this.#lines + 1,
        problem: `is missing: the file had ${most} lines when the run had ended`,
      });
    const isChained = this.#chainedFrom !== null;
    const problems = [...this.#cut.slice(0, maxProblems), ...(isChained ? this.#problems : [])];
    return {
      state: problems.length > 0 ? "broken" : isChained ? "intact" : "not_chained",
      lines: this.#lines,
      chained_from: this.#chainedFrom,
      head: this.#head,
      problems,
    };
  }

  /** The report of a file that ended before it was read to its end. */
  unreadable(problem: string): ChainReport {
    this.#noteProblem(this.#lines + 1, problem);
    return { ...this.report(false), state: "broken", problems: this.#problems };
  }

  #noteProblem(line: number, problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ line, problem });
  }
}

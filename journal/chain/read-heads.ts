/** Reads the heads of ended runs, and says whether their own chain holds, also up to a place that was noted elsewhere. */
import { existsSync } from "node:fs";
import { fileLines, type Torn } from "../../files/lines/file-lines.ts";
import { lineHash } from "./hash-chain.ts";
import { headsFile, maxHeadLine, parseHead, type HeadRecord, type RunEnd } from "./run-heads.ts";

/** More than these are counted, not listed. */
const maxProblems = 100;

export type Heads = {
  /** When the first was noted, by the wall clock; null where there is none. Runs that ended before have none. */
  since: number | null;
  /** The ends of each run, the oldest first: something is appended to a file from which a later run goes on. */
  ends: Map<string, RunEnd[]>;
  /** Runs whose files were removed as they should be. */
  removed: Set<string>;
  /** The last line. */
  last: { n: number; hash: string } | null;
  /** The problems of `heads.jsonl` itself. */
  problems: { line: number; problem: string }[];
};

/** @param at the line whose hash is wanted: `hashAt`, null where there is no such line */
export async function readHeads(journal: string, at = 0): Promise<Heads & { hashAt: string | null }> {
  const heads = new HeadsCheck(at);
  if (!existsSync(headsFile(journal))) return heads.report();
  const torn: Torn = { bytes: 0 };
  let isTooLong = false;
  for await (const line of fileLines(headsFile(journal), { torn, maxBytes: maxHeadLine })) {
    isTooLong = line.truncated === true;
    if (isTooLong) break; // nothing of ours: what comes behind it isn't read
    heads.push(line.bytes);
  }
  if (isTooLong || torn.bytes > maxHeadLine) heads.tooLong();
  return heads.report();
}

class HeadsCheck {
  readonly #at: number;
  #line = 0;
  #hash: string | null = null;
  #hashAt: string | null = null;
  #since: number | null = null;
  readonly #ends = new Map<string, RunEnd[]>();
  readonly #removed = new Set<string>();
  readonly #problems: Heads["problems"] = [];

  constructor(at: number) {
    this.#at = at;
  }

  push(bytes: Buffer): void {
    const before = this.#hash;
    this.#line++;
    this.#hash = lineHash(bytes);
    if (this.#line === this.#at) this.#hashAt = this.#hash;
    const record = parseHead(bytes.toString("utf8"));
    if (!record) return this.#noteProblem("is not a head of a run");
    if (record.n !== this.#line) this.#noteProblem(`says that it is line ${record.n}: lines were removed or added`);
    if (record.prev !== (before ?? undefined))
      this.#noteProblem("doesn't go on from the line before it, which was changed");
    this.#takeRecord(record);
  }

  #takeRecord(record: HeadRecord): void {
    this.#since ??= record.ts;
    const id = record.agent_id;
    this.#removed.delete(id);
    if ("removed" in record) {
      this.#ends.delete(id);
      this.#removed.add(id);
    } else this.#ends.set(id, [...(this.#ends.get(id) ?? []), { lines: record.lines, head: record.head }]);
  }

  tooLong(): void {
    this.#line++;
    this.#noteProblem(`is longer than ${maxHeadLine} bytes, so it is not the head of a run`);
  }

  #noteProblem(problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ line: this.#line, problem });
  }

  report(): Heads & { hashAt: string | null } {
    return {
      since: this.#since,
      ends: this.#ends,
      removed: this.#removed,
      last: this.#hash === null ? null : { n: this.#line, hash: this.#hash },
      problems: this.#problems,
      hashAt: this.#hashAt,
    };
  }
}

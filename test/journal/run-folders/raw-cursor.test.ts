import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noteRawPosition, rawPosition } from "../../../journal/run-folders/raw-cursor.ts";

test("reading begins at the beginning without an entry", () => {
  expect(rawPosition("/no/such/folder", 5)).toEqual({ offset: 0, skip: 0 });
});

test("an entry counts once the file has reached its line, and what stands behind it is skipped", async () => {
  using cursor = temporary();
  await noteRawPosition(cursor.folder, 3, { offset: 100, skip: 0 });
  await noteRawPosition(cursor.folder, 7, { offset: 200, skip: 2 });
  expect(rawPosition(cursor.folder, 2)).toEqual({ offset: 0, skip: 0 });
  expect(rawPosition(cursor.folder, 3)).toEqual({ offset: 100, skip: 0 });
  expect(rawPosition(cursor.folder, 6)).toEqual({ offset: 100, skip: 3 });
  expect(rawPosition(cursor.folder, 7)).toEqual({ offset: 200, skip: 2 });
  expect(rawPosition(cursor.folder, 9)).toEqual({ offset: 200, skip: 4 });
});

/** As much of a cortex as writes a run: it may die between any two of its steps. */
class Writer {
  readonly #folder: string;
  readonly #raw: string[];
  readonly #file: string[];
  #mayDie: () => void;
  #at: number;
  #skip: number;

  constructor(folder: string, raw: string[], file: string[], mayDie: () => void) {
    this.#folder = folder;
    this.#raw = raw;
    this.#file = file;
    this.#mayDie = mayDie;
    const { offset, skip } = rawPosition(folder, file.length + 1);
    [this.#at, this.#skip] = [offset, skip];
  }

  begin(): Promise<void> {
    return this.#note(this.#file.length + 1);
  }

  /** An event of cortex's own: noted, then written. */
  async own(text: string): Promise<void> {
    await this.#note(this.#file.length + 2);
    this.#mayDie();
    this.#file.push(text);
    this.#mayDie();
  }

  /** A plain event of the output for each line. A death may come between the lines of a batch. */
  plain(count: number): void {
    for (let left = count; left > 0 && this.#at < this.#raw.length; left--) {
      const line = this.#raw[this.#at++] as string;
      if (this.#skip > 0) this.#skip--;
      else this.#file.push(line);
      this.#mayDie();
    }
  }

  /** A line of the output that cortex completes before it writes it. */
  async completed(): Promise<void> {
    if (this.#skip > 0 || this.#at >= this.#raw.length) return this.plain(1);
    const line = this.#raw[this.#at++] as string;
    await this.own(line);
  }

  async #note(nextSeq: number): Promise<void> {
    await noteRawPosition(this.#folder, nextSeq, { offset: this.#at, skip: this.#skip });
    this.#mayDie();
  }

  get isDone(): boolean {
    return this.#at >= this.#raw.length;
  }
}

class Death extends Error {}

test("wherever a writer dies, and however often, each line of the output stands in the file once and in order", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    using cursor = temporary();
    const random = generator(seed);
    const raw = Array.from({ length: 40 }, (_, index) => `raw ${index}`);
    const file: string[] = [];
    let lives = 0;
    for (let isDone = false; !isDone; ) {
      const isLast = ++lives > 15;
      const mayDie = () => {
        if (!isLast && random() < 0.08) throw new Death();
      };
      try {
        const writer = new Writer(cursor.folder, raw, file, mayDie);
        await writer.begin();
        if (random() < 0.5) await writer.own(`adopted ${lives}`);
        while (!writer.isDone) {
          const choice = random();
          if (choice < 0.5) writer.plain(1 + Math.floor(random() * 6));
          else if (choice < 0.75) await writer.own(`own ${lives}`);
          else await writer.completed();
        }
        isDone = true;
      } catch (error) {
        if (!(error instanceof Death)) throw error;
      }
    }
    expect(
      file.filter((line) => line.startsWith("raw")),
      `seed ${seed}`,
    ).toEqual(raw);
  }
});

/** Numbers from 0 to 1, the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function temporary(): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "cortex-cursor-"));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

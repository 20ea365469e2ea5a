/** The runs that clients asked for here, noted in a file: of one that waits there is nothing else to be read, also after a restart. */
import { readFileSync } from "node:fs";
import { hasCode } from "../../files/errors/errno.ts";
import { appendNow } from "../../files/writing/append-whole.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { runtime } from "../../journal/config/paths.ts";
import { AgentId } from "../../protocol/names/names.ts";

/** More are forgotten, the oldest first. */
const most = 10_000;

export class AskedRuns {
  readonly #file: string;
  readonly #ids: Set<string>;

  private constructor(file: string, ids: string[]) {
    this.#file = file;
    this.#ids = new Set(ids);
  }

  /** Reads those of before. */
  static async open(journal: string): Promise<AskedRuns> {
    const file = runtime(journal, "asked-runs");
    const noted = readLines(file);
    const ids = noted.filter((id) => AgentId.safeParse(id).success).slice(-most);
    if (ids.length < noted.length) await replaceFile(file, ids.map((id) => `${id}\n`).join(""));
    return new AskedRuns(file, ids);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** One that can't be noted, on a full disk, has been asked for all the same: it is known until the next start. */
  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > most && oldest !== undefined) this.#ids.delete(oldest);
    try {
      appendNow(this.#file, `${id}\n`, 0o600);
    } catch {}
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

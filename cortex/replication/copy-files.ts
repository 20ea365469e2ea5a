/** The files of the copies, each opened once. A file that can't be read is put away at the third failure, and made anew. */
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import { isOwnRun, MirroredRun } from "../../journal/runs/mirrored-run.ts";
import { runFile } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";

/** The files that are remembered, beside those in progress. */
const maxRemembered = 1000;

export class CopyFiles {
  readonly #journal: string;
  readonly #log: Pick<Logger, "error">;
  readonly #files = new Map<string, MirroredRun>();
  readonly #unsynced = new Set<MirroredRun>();
  readonly #damaged: Quarantine;

  constructor(journal: string, log: Pick<Logger, "error">) {
    this.#journal = journal;
    this.#log = log;
    this.#damaged = new Quarantine(journal, "run-copy");
  }

  /** The file of a run, if it was opened. */
  known(agentId: string): MirroredRun | undefined {
    return this.#files.get(agentId);
  }

  /** The file of a run; null while the run is this host's own. */
  async open(agentId: string): Promise<MirroredRun | null> {
    if (isOwnRun(this.#journal, agentId)) {
      this.#files.delete(agentId);
      return null;
    }
    const known = this.#files.get(agentId);
    if (known) return known;
    if (this.#files.size > maxRemembered) this.#closeEnded();
    const file = await this.#read(agentId);
    this.#files.set(agentId, file);
    return file;
  }

  /** Whether this still is the file of its run: meanwhile the run may have become this host's own, or its file another. */
  async isCurrent(file: MirroredRun): Promise<boolean> {
    return (await this.open(file.agentId)) === file;
  }

  /** Has the file read anew: somebody else may have written it. */
  close(agentId: string): void {
    this.#files.delete(agentId);
  }

  append(file: MirroredRun, line: string, epoch: number): void {
    file.append(line, epoch);
    this.#unsynced.add(file);
  }

  /** Makes what was appended durable. */
  sync(): void {
    for (const file of this.#unsynced) if (!isOwnRun(this.#journal, file.agentId)) file.sync();
    this.#unsynced.clear();
  }

  #closeEnded(): void {
    for (const [agentId, { hasTerminal }] of this.#files) if (hasTerminal) this.#files.delete(agentId);
  }

  async #read(agentId: string): Promise<MirroredRun> {
    try {
      return await MirroredRun.open(this.#journal, agentId);
    } catch (error) {
      const path = runFile(this.#journal, agentId);
      if (!(error instanceof FileLinesError) || path === null) throw error;
      if ((await this.#damaged.failed(agentId, error, { moveFile: path })) === "retry") throw error;
      this.#log.error(
        { agent_id: agentId, path, err: error },
        "a copy of a run can't be handled: it is put away, and made anew",
      );
      return await MirroredRun.open(this.#journal, agentId);
    }
  }
}

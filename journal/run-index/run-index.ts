/**
 * The index of a journal's runs: lists and searches all of them without reading their files again. What has ended is read once;
 * a run in progress as far as it has grown. Newest first, so that what is asked for most is there at once, also while the rest of
 * a journal is read for the first time. The files are the truth: the index may be deleted at any time.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";
import { startOfDay } from "../../protocol/names/day.ts";
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { CoalescedWork, SerialQueue } from "../../files/locks/serial-queue.ts";
import { runDays } from "../runs/active-runs.ts";
import { type RunFile, runFilesOf } from "../runs/list-runs.ts";
import { RunReader } from "../runs/read-run.ts";
import { runsFolder, runState } from "../runs/run-files.ts";
import { type IndexedRun, openRunDatabase, type RunAfter, RunRows } from "./run-index-database.ts";
import { RecentRuns } from "./recent-runs.ts";
import { conditionOf, type RunQuery } from "./run-query.ts";
import { emptyRow, type RunRow, RunRowSum } from "./run-row.ts";

/** Milliseconds for which rows are written before others get their turn. */
const sliceMs = 20;
/** How long ago a folder's last change must be to be sure that none came while it was read. */
const coarseMs = 1000;
const dayMs = 86_400_000;

export type RunChange = { row: RunRow } | { removed: string };

/** A run in progress, as far as it was read: once after the other. */
type Growing = { reader: RunReader; sum: RunRowSum; next: number; reads: SerialQueue };

export type RunIndexOptions = {
  /** Called when a run has become another row, was found, or is gone. */
  onChange?: (change: RunChange) => void;
  onProblem: (error: unknown) => void;
};

export class RunIndex implements Disposable {
  readonly #journal: string;
  readonly #options: RunIndexOptions;
  readonly #database: DatabaseSync;
  readonly #rows: RunRows;
  readonly recent: RecentRuns;
  readonly #growing = new Map<string, Growing>();
  readonly #refreshing = new CoalescedWork(() => this.#readAll());
  #isComplete = false;
  #isClosed = false;

  /** @throws Error where there can be no database: the disk is full, or can't be written */
  constructor(journal: string, options: RunIndexOptions) {
    this.#journal = journal;
    this.#options = options;
    this.#database = openRunDatabase(journal, options.onProblem);
    this.#rows = new RunRows(this.#database);
    this.recent = new RecentRuns(this.#database);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#database.close();
  }

  /** Whether all runs have been read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Resolves when the index is as the files were when this was called. Days that nobody touched aren't listed. */
  refresh(): Promise<void> {
    return this.#refreshing.run();
  }

  /** Reads a run in progress as far as it has grown, and tells of it where its row has changed. */
  async read(id: string): Promise<void> {
    if (!this.#isClosed) await this.#readRun(id, runState(this.#journal, id) === "ended");
  }

  list(query: RunQuery, limit: number): RunRow[] {
    const { where, values } = conditionOf(query);
    return this.#rows.find(where, values, limit);
  }

  /** Null: not all runs have been read yet. */
  count(query: RunQuery): number | null {
    const { where, values } = conditionOf({ ...query, before: undefined });
    return this.#isComplete ? this.#rows.count(where, values) : null;
  }

  get(id: string): RunRow | null {
    return this.#rows.get(id);
  }

  /** Lists the personas, models and backends of runs, in order: at most so many of each. */
  names(limit: number): { personas: string[]; models: string[]; backends: string[] } {
    const [personas, models, backends] = (["persona", "model", "backend"] as const).map((column) =>
      this.#rows.namesIn(column, limit),
    ) as [string[], string[], string[]];
    return { personas, models, backends };
  }

  after(id: string): RunAfter[] {
    return this.#rows.after(id);
  }

  /** The first turn of a long-lived agent, or of a task; null: it has had none. */
  firstOfAgent(agent: string): RunRow | null {
    return this.#rows.firstOfAgent(agent);
  }

  /** The runs whose files are in progress, newest first. */
  get active(): RunRow[] {
    return this.#rows.active.flatMap((id) => this.#rows.get(id) ?? []);
  }

  async #readAll(): Promise<void> {
    for (const day of runDays(this.#journal).toReversed()) await this.#readDay(day);
    for (const id of this.#rows.active) {
      if (this.#isClosed) return;
      await this.#readRun(id, runState(this.#journal, id) === "ended");
    }
    if (this.#isClosed || this.#isComplete) return;
    this.#rows.atOnce(() => this.#rows.joinConversations());
    this.#isComplete = true;
  }

  async #readDay(day: string): Promise<void> {
    const folder = join(runsFolder(this.#journal), day);
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (this.#isClosed || this.#rows.stampOf(day) === String(changed)) return;
    const isSettled = Date.now() - changed > coarseMs;
    const start = startOfDay(day);
    const known = this.#rows.between(start, start + dayMs);
    const found: RunFile[] = [];
    for (const file of runFilesOf(folder)) {
      if (known.get(file.agentId) !== true) found.push(file);
      known.delete(file.agentId);
    }
    await this.#readFiles(found);
    if (this.#isClosed) return;
    this.#rows.atOnce(() => {
      for (const id of known.keys()) this.#rows.drop(id);
      if (isSettled) this.#rows.putStamp(day, String(changed));
    });
    for (const removed of known.keys()) this.#options.onChange?.({ removed });
  }

  /** Puts rows in slices, each a change of its own. */
  async #readFiles(files: RunFile[]): Promise<void> {
    let waiting: IndexedRun[] = [];
    let since = performance.now();
    const put = () => {
      if (this.#isClosed || waiting.length === 0) return;
      const rows: RunRow[] = [];
      this.#rows.atOnce(() => {
        for (const run of waiting) rows.push(this.#rows.put(run));
      });
      waiting = [];
      for (const row of rows) this.#options.onChange?.({ row });
    };
    for (const { agentId, isActive } of files) {
      if (this.#isClosed) return;
      if (isActive) {
        await this.#readRun(agentId, false);
        continue;
      }
      const sum = await this.#summed(agentId);
      this.#growing.delete(agentId);
      waiting.push({ ...sum, isEnded: true });
      if (performance.now() - since < sliceMs) continue;
      put();
      await setImmediate();
      since = performance.now();
    }
    put();
  }

  async #summed(id: string): Promise<{ row: RunRow; words: RunRowSum["words"] }> {
    const sum = new RunRowSum(id);
    try {
      for await (const event of new RunReader(this.#journal, id).events()) sum.add(event);
    } catch (error) {
      if (!(error instanceof FileLinesError)) throw error;
      return { row: { ...emptyRow(id), state: "failed", damaged: error.message }, words: { prompt: "", result: "" } };
    }
    const { row } = sum;
    // A file that has ended without a terminal event says that nobody goes on with it.
    return { row: row.ended_at === null ? { ...row, state: "failed", doing: null } : row, words: sum.words };
  }

  async #readRun(id: string, isEnded: boolean): Promise<void> {
    const growing = this.#growing.get(id) ?? this.#newGrowing(id);
    await growing.reads.run(() => this.#readOn(id, growing));
    if (!isEnded || this.#isClosed) return;
    this.#growing.delete(id);
    this.#put(id, { ...(await this.#summed(id)), isEnded });
  }

  async #readOn(id: string, growing: Growing): Promise<void> {
    const { reader, sum } = growing;
    const from = growing.next;
    try {
      for await (const event of reader.events(from)) {
        sum.add(event);
        growing.next = event.seq + 1;
      }
    } catch (error) {
      this.#options.onProblem(error);
    }
    if (growing.next > from) this.#put(id, { row: sum.row, words: sum.words, isEnded: false });
  }

  #put(id: string, run: IndexedRun): void {
    if (this.#isClosed) return;
    const before = this.#rows.get(id);
    let row = before;
    this.#rows.atOnce(() => {
      row = this.#rows.put(run);
    });
    if (row && JSON.stringify(row) !== JSON.stringify(before)) this.#options.onChange?.({ row });
  }

  #newGrowing(id: string): Growing {
    const growing = {
      reader: new RunReader(this.#journal, id),
      sum: new RunRowSum(id),
      next: 1,
      reads: new SerialQueue(),
    };
    this.#growing.set(id, growing);
    return growing;
  }
}

/**
 * The runs of the machine as they are: all of them from the index, those that wait from cortex's own word, and each change as it
 * comes over the bus. The bus only says where to look: what is told is read in the files, so nothing is missed while it is away.
 */
import type { RunAfter } from "../../../journal/run-index/run-index-database.ts";
import type { RunChange, RunIndex } from "../../../journal/run-index/run-index.ts";
import type { RecentRuns } from "../../../journal/run-index/recent-runs.ts";
import type { RunQuery } from "../../../journal/run-index/run-query.ts";
import type { RunRow } from "../../../journal/run-index/run-row.ts";
import type { LiveStatus } from "../../../journal/programs/live-status.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { AgentId } from "../../../protocol/names/names.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import type { MachineBase } from "../base/machine-base.ts";
import { AgentNames } from "./agent-names.ts";
import { findRuns, type FoundRuns } from "./find-runs.ts";
import { HeardRuns } from "./heard-runs.ts";
import { livingStatus, rowAsItIs } from "./liveness.ts";
import { OpenedIndex } from "./opened-index.ts";
import { TaskAgents } from "./task-agents.ts";
import { WaitingRuns } from "./waiting-runs.ts";

/** Milliseconds after which the files are looked at again while somebody listens. */
const lookEveryMs = 1000;
export type RunListener = (change: RunChange) => void;

export class LiveRuns implements AsyncDisposable {
  readonly tasks: TaskAgents;
  readonly #base: MachineBase;
  readonly #listeners = new Set<RunListener>();
  readonly #allRead = new Set<() => void>();
  readonly #index: OpenedIndex;
  #watching: (() => void) | null = null;
  readonly #heard = new HeardRuns((id) => void this.#index.read(id));
  /** How each run that waits or is at work was told last. */
  #told = new Map<string, RunRow>();
  readonly #waiting: WaitingRuns;
  readonly #agentNames: AgentNames;

  constructor(base: MachineBase) {
    this.#base = base;
    this.#agentNames = new AgentNames(base.journal);
    this.tasks = new TaskAgents(base.journal);
    this.#index = new OpenedIndex({
      ...base,
      onChange: (change) => this.#changed(change),
      onAllRead: () => this.#allRead.forEach((tell) => tell()),
    });
    this.#waiting = new WaitingRuns(base.journal, (id) => this.#index.get().get(id) !== null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching?.();
    this.#index[Symbol.dispose]();
  }

  /** Hears of each change from now on. */
  listen(listener: RunListener): Disposable {
    this.#listeners.add(listener);
    this.#watching ??= this.#watch();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        this.#watching?.();
        this.#watching = null;
      },
    };
  }

  /** Calls back when all runs have been read, where lists were told in part before. */
  onAllRead(tell: () => void): Disposable {
    this.#allRead.add(tell);
    return { [Symbol.dispose]: () => void this.#allRead.delete(tell) };
  }

  /** Runs, newest first. */
  async list(query: RunQuery, limit: number): Promise<FoundRuns> {
    const index = await this.#index.fresh();
    return findRuns({ index, waiting: this.#waiting, asItIs: (row) => this.#asItIs(row) }, query, limit);
  }

  /** Lists the personas, models and backends of runs, in order: at most so many of each. */
  async names(limit: number): Promise<ReturnType<RunIndex["names"]>> {
    return (await this.#index.fresh()).names(limit);
  }

  /** A run. Null: there is none. */
  async get(id: string): Promise<RunRow | null> {
    await this.#index.read(id);
    const row = this.#index.get().get(id);
    return row ? this.#asItIs(row) : (this.#waiting.rows().find((queued) => queued.id === id) ?? null);
  }

  /** The runs that continue one, that it was handed on to, and that do it once more; oldest first. */
  after(id: string): RunAfter[] {
    const found = this.#index.get().after(id);
    return found.map(({ row, relation }) => ({ row: this.#asItIs(row), relation }));
  }

  /** The first turn of a long-lived agent, or of a task; null: it has had none. */
  firstOfAgent(agent: string): RunRow | null {
    const row = this.#index.get().firstOfAgent(agent);
    return row && this.#asItIs(row);
  }

  /** The turn that a long-lived agent had begun last at a moment, in ms; null: none. */
  lastOfAgent(agent: string, atMs: number): RunRow | null {
    const [row] = this.#index.get().list({ agent, before: String(atMs + 1) }, 1);
    return row ? this.#asItIs(row) : null;
  }

  /** A run was asked for: it is there from now on, whenever cortex comes to it. */
  asked(row: RunRow): void {
    this.#waiting.asked(row);
    this.#tellRow(row);
  }

  /** Whether there is, or was, a run of this id. */
  isThere(id: string): boolean {
    return runState(this.#base.journal, id) !== "absent" || this.#waiting.rows().some((row) => row.id === id);
  }

  /** Lists the runs that are in progress or wait for a place, newest first. */
  async working(): Promise<RunRow[]> {
    const index = await this.#index.fresh();
    const live = livingStatus(this.#base.journal);
    return [...this.#waiting.rows(live), ...index.active.map((row) => this.#asItIs(row, live))];
  }

  /** The runs that have ended, as the index was when it was last brought up to date. */
  get recent(): RecentRuns {
    return this.#index.get().recent;
  }

  /** Rows of the index, as they are shown. */
  shown(rows: readonly RunRow[]): RunRow[] {
    return rows.map((row) => this.#asItIs(row));
  }

  #asItIs(row: RunRow, live?: LiveStatus | null): RunRow {
    const named = { ...row, agent_name: this.#agentNames.of(row.agent) };
    return row.ended_at !== null ? named : rowAsItIs(this.#base.journal, named, live);
  }

  /**
   * Reports a change. A run that ended long ago, and was not heard of, is no news while a journal is read for the first
   * time.
   */
  #changed(change: RunChange): void {
    if ("removed" in change) {
      this.#told.delete(change.removed);
      return this.#tellChange(change);
    }
    const { id, ended_at } = change.row;
    const isNews = ended_at === null || this.#told.has(id) || this.#heard.has(id);
    if (this.#index.isComplete || isNews) this.#tellRow(this.#asItIs(change.row));
  }

  #tellRow(row: RunRow): void {
    if (row.ended_at === null) this.#told.set(row.id, row);
    else this.#told.delete(row.id);
    this.#tellChange({ row });
  }

  #tellChange(change: RunChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #watch(): () => void {
    const { bus } = this.#base;
    const subscription = bus.connection.subscribe(subjects.allEvents, {
      callback: (error, message) => {
        if (error) return;
        const id = AgentId.safeParse(message.subject.split(".")[2]);
        if (id.success) this.#heard.heard(id.data);
      },
    });
    const looking = setInterval(() => void this.#compareRuns(), lookEveryMs).unref();
    void this.#compareRuns();
    return () => {
      subscription.unsubscribe();
      clearInterval(looking);
      this.#heard[Symbol.dispose]();
    };
  }

  /** Looks for what nobody has told: files that came, ended or went, runs that wait, a cortex that is gone. */
  async #compareRuns(): Promise<void> {
    await this.#index.fresh();
    if (this.#index.isClosed) return;
    const live = livingStatus(this.#base.journal);
    const now = [...this.#waiting.rows(live), ...this.#index.get().active.map((row) => this.#asItIs(row, live))];
    const before = this.#told;
    this.#told = new Map(now.map((row) => [row.id, row]));
    for (const row of now) if (JSON.stringify(row) !== JSON.stringify(before.get(row.id))) this.#tellChange({ row });
    for (const id of before.keys()) if (!this.#told.has(id)) this.#gone(id);
    this.#heard.keepOnly((id) => this.#told.has(id));
  }

  /** It has ended, or left no file: refused, or cancelled while it waited. */
  #gone(id: string): void {
    const row = this.#index.get().get(id);
    this.#tellChange(row ? { row: this.#asItIs(row) } : { removed: id });
  }
}

/** The index of runs, opened when somebody first asks, and opened anew when it was broken. */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../files/errors/error-message.ts";
import { isBroken } from "../../../files/rebuildable-database.ts";
import { type RunChange, RunIndex } from "../../../journal/run-index/run-index.ts";
import type { MachineBase } from "../base/machine-base.ts";

/** Milliseconds for which a list waits for runs that are read for the first time. */
const readWithinMs = 150;

type Deps = Pick<MachineBase, "journal" | "log"> & {
  onChange: (change: RunChange) => void;
  /** Called when all runs have been read, where somebody was told of a part of them before. */
  onAllRead: () => void;
};

export class OpenedIndex implements Disposable {
  readonly #deps: Deps;
  #index: RunIndex | null = null;
  #isClosed = false;
  #isToldInPart = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether all runs have been read. */
  get isComplete(): boolean {
    return this.#index?.isComplete ?? false;
  }

  /** As it was when it was last brought up to date. */
  get(): RunIndex {
    const { journal, log, onChange } = this.#deps;
    this.#index ??= new RunIndex(journal, {
      onChange,
      onProblem: (error) => log.warn({ error: messageOf(error) }, "a run can't be read into the index"),
    });
    return this.#index;
  }

  /** As the files are; of a journal that is read for the first time as far as it has come. */
  async fresh(): Promise<RunIndex> {
    const index = this.get();
    const refreshed = this.#tried(() => index.refresh());
    if (index.isComplete) await refreshed;
    else await this.#readInPart(index, refreshed);
    return this.get();
  }

  async #readInPart(index: RunIndex, refreshed: Promise<void>): Promise<void> {
    await Promise.race([refreshed, delay(readWithinMs, undefined, { ref: false })]);
    if (index.isComplete || this.#isToldInPart) return;
    this.#isToldInPart = true;
    void refreshed.then(() => {
      this.#isToldInPart = false;
      if (!this.#isClosed && index.isComplete) this.#deps.onAllRead();
    });
  }

  /** Reads a run as far as its file has grown. */
  read(id: string): Promise<void> {
    return this.#tried(() => this.get().read(id));
  }

  /** One that is broken is opened anew by whoever asks next. */
  async #tried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#isClosed) return;
      this.#deps.log.warn({ error: messageOf(error) }, "the index of runs can't be brought up to date");
      if (!isBroken(error)) return;
      this.#index?.[Symbol.dispose]();
      this.#index = null;
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#index?.[Symbol.dispose]();
  }
}

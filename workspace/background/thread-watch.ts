/**
 * Watches the threads of workspaces that want something done unasked. It goes by the stored events from where it began: what was
 * missed while nobody watched counts with the thread's next message.
 */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import { queueSummary, wantedOf } from "./queue-summary.ts";

/** A thread in which much is said isn't looked through for each message. In ms. */
const pauseMs = 500;
const mostEvents = 1000;

export class ThreadWatch implements AsyncDisposable {
  readonly #store: WorkspaceStore;
  readonly #log: Logger;
  readonly #listening: Disposable;
  /** Workspaces in which something has happened, with the event up to which they were looked through. */
  readonly #seen = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  readonly #looks = new SerialQueue();
  #isOver = false;

  constructor({ store, log }: { store: WorkspaceStore; log: Logger }) {
    this.#store = store;
    this.#log = log;
    this.#listening = store.changes.listen((workspaceId, lastEvent) => {
      // Its change told of one event at least.
      if (!this.#seen.has(workspaceId)) this.#seen.set(workspaceId, Math.max(0, lastEvent - mostEvents));
      this.#changed.set(workspaceId, lastEvent);
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        void this.#looks.run(() => this.#lookThroughChanged());
      }, pauseMs).unref();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#listening[Symbol.dispose]();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#looks.idle();
  }

  async #lookThroughChanged(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const [workspaceId, lastEvent] of changed)
      try {
        if (!this.#isOver) await this.#lookThrough(workspaceId, lastEvent);
      } catch (error) {
        if (!this.#isOver)
          this.#log.warn({ err: error, workspace: workspaceId }, "its threads can't be looked through");
      }
  }

  async #lookThrough(workspaceId: string, lastEvent: number): Promise<void> {
    const after = this.#seen.get(workspaceId) ?? lastEvent;
    const wanted = await wantedOf(this.#store, workspaceId);
    if (!wanted) return void this.#seen.set(workspaceId, lastEvent);
    const events = await this.#store.changes.eventsAfter(workspaceId, after, mostEvents);
    const threads = new Set(
      events.flatMap(({ event, data }) =>
        event === "message.created" && data.message.fork_id === null ? [data.message.thread_id] : [],
      ),
    );
    for (const thread of threads) await queueSummary(this.#store, workspaceId, thread, wanted);
    this.#seen.set(workspaceId, events.at(-1)?.id ?? lastEvent);
  }
}

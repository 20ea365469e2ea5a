/**
 * Answers what is asked in threads: each open task is begun, followed and ended, also those that a former engine began. One
 * engine works on a database at a time.
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../files/errors/error-message.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { AnswerSettings } from "../../protocol/settings/workspace-settings.ts";
import { configOfVersion } from "../agents/versions.ts";
import { failureWords } from "./outcome/failure-words.ts";
import type { AnswerDeps } from "./deps/answer-deps.ts";
import { endCancelled, endFailed } from "./ending/end-answer.ts";
import { LiveAnswer, type TaskAtWork } from "./live-answer.ts";
import { nextTasks } from "./admission/schedule.ts";

/** Changes that other processes make are seen so soon, in ms. */
const lookMs = 5000;

/** A task on which the engine itself fails is tried so often, after such pauses. */
const maxTries = 3;
const againMs = 2000;

export class AnswerEngine implements AsyncDisposable {
  readonly #deps: AnswerDeps;
  readonly #stopping = new AbortController();
  readonly #live = new Map<string, LiveAnswer>();
  /** Tasks that can't begin yet, by their ids. */
  readonly #held = new Set<string>();
  /** How often there was something new. */
  #news = 0;
  readonly #failures = new Map<string, number>();
  /** Workspaces that are being looked through, and whether there is something new in them. */
  readonly #looking = new Map<string, { isAgain: boolean; done: Promise<void> }>();
  readonly #listening: Disposable;
  readonly #timer: NodeJS.Timeout;

  constructor(deps: Omit<AnswerDeps, "signal">) {
    this.#deps = { ...deps, signal: this.#stopping.signal };
    this.#listening = deps.store.changes.listen((workspaceId) => this.#notice(workspaceId));
    this.#timer = setInterval(() => void this.#lookEverywhere(), lookMs).unref();
    void this.#lookEverywhere();
  }

  /** Begins and follows nothing any more. Runs go on, and so do their tasks with the next engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    clearInterval(this.#timer);
    this.#stopping.abort();
    await Promise.all([...this.#looking.values()].map(({ done }) => done));
  }

  async #lookEverywhere(): Promise<void> {
    const { store, log } = this.#deps;
    try {
      const open = await store.database
        .selectFrom("tasks")
        .select("workspace_id")
        .distinct()
        .where("is_open", "=", 1)
        .execute();
      const live = [...this.#live.values()].map(({ of }) => of);
      for (const id of new Set([...open, ...live].map(({ workspace_id }) => workspace_id))) this.#notice(id);
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.error({ err: error }, "the open tasks can't be read");
    }
  }

  #notice(workspaceId: string): void {
    this.#news++;
    this.#lookThrough(workspaceId);
  }

  /** Looks through a workspace, once at a time, and once more when it has changed meanwhile. */
  #lookThrough(workspaceId: string): void {
    if (this.#stopping.signal.aborted) return;
    const looking = this.#looking.get(workspaceId);
    if (looking) looking.isAgain = true;
    else {
      const now = { isAgain: true, done: Promise.resolve() };
      this.#looking.set(workspaceId, now);
      now.done = this.#lookWhileNew(workspaceId, now);
    }
  }

  async #lookWhileNew(workspaceId: string, looking: { isAgain: boolean }): Promise<void> {
    const { signal } = this.#stopping;
    try {
      while (looking.isAgain && !signal.aborted) {
        looking.isAgain = false;
        await this.#lookOnce(workspaceId);
      }
    } catch (error) {
      if (!signal.aborted) this.#deps.log.error({ err: error, workspace: workspaceId }, "its tasks can't be read");
    } finally {
      this.#looking.delete(workspaceId);
    }
  }

  async #lookOnce(workspaceId: string): Promise<void> {
    const { store, settings } = this.#deps;
    const open = await store.database
      .selectFrom("tasks")
      .select(["id", "workspace_id", "thread_id", "status", "after_task_id"])
      .where("is_open", "=", 1)
      .where("workspace_id", "=", workspaceId)
      .orderBy("id")
      .execute();
    if (this.#stopping.signal.aborted) return;
    const wanted = new Set(open.flatMap(({ id, status }) => (status === "cancelled" ? [] : [id])));
    const live = [...this.#live].filter(([, { of }]) => of.workspace_id === workspaceId);
    for (const [id, answer] of live) if (!wanted.has(id)) answer.cancel();
    if (open.length === 0) return;
    const atWork = new Map(live.map(([id, { of, isForPerson }]) => [id, { thread_id: of.thread_id, isForPerson }]));
    const now = settings();
    for (const task of nextTasks(open, atWork, this.#held, now)) void this.#work(task, now);
  }

  async #work(task: TaskAtWork, settings: AnswerSettings): Promise<void> {
    const { id, workspace_id } = task;
    const answer = new LiveAnswer(this.#deps, task, settings);
    this.#live.set(id, answer);
    const [wasHeld, news] = [this.#held.delete(id), this.#news];
    const isHeld = (await this.#runToEnd(answer)) === "waits";
    this.#live.delete(id);
    if (isHeld) this.#held.add(id);
    // It took a place that others may have now.
    if (!(isHeld && wasHeld)) this.#notice(workspace_id);
    // What it waits for may have come while it was looked at. That is no news to others that wait: they would go in circles.
    else if (news !== this.#news) this.#lookThrough(workspace_id);
  }

  async #runToEnd(answer: LiveAnswer): Promise<"ended" | "waits"> {
    const { id } = answer.of;
    const { signal } = this.#stopping;
    try {
      const end = await answer.run();
      if (end === "ended") failpoint("answer-ended");
      this.#failures.delete(id);
      return end;
    } catch (error) {
      if (signal.aborted) return "ended";
      const tries = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, tries);
      this.#deps.log.error({ err: error, task: id, tries }, "a task failed within its engine");
      await delay(againMs, undefined, { signal }).catch(() => {});
      if (tries >= maxTries && !signal.aborted) await this.#giveUp(answer.of, messageOf(error));
      return "ended";
    }
  }

  async #giveUp({ id, workspace_id }: TaskAtWork, why: string): Promise<void> {
    const { store, log } = this.#deps;
    try {
      await store.changes.make(workspace_id, async (change) => {
        const task = await change.tables.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
        if (task?.is_open !== 1) return;
        if (task.status === "cancelled") return void (await endCancelled(change, task));
        const { display_name } = await configOfVersion(change.tables, task.agent_id, task.agent_version);
        await endFailed(change, task, { words: failureWords("internal", display_name), why });
      });
      this.#failures.delete(id);
    } catch (error) {
      log.error({ err: error, task: id }, "nobody could be told that a task failed");
    }
  }
}

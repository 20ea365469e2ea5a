/** Web Push: browsers that have asked for it are told of what happens while the page isn't open. Of any content it holds nothing. */
import { messageOf } from "../../../files/errors/error-message.ts";
import type { Database } from "../../../workspace/database/connection/open-database.ts";
import { removePushDevice, type Target, pushTargets } from "./push-devices.ts";
import { pushKeys } from "./push-keys.ts";
import { listenForNews, type NewsDeps } from "./push-news.ts";
import { beginTry, dropOldPushes, type DuePush, duePushes, endTry, keepNews, type News } from "./push-queue.ts";
import { type PushOutcome, sendPush } from "./push-service.ts";

/** Milliseconds after which it is looked again for who wants to be told, and what waits. */
const lookEveryMs = 5000;
/** The first wait between tries, in ms; doubled each time, up to the most. */
const [firstWaitMs, mostWaitMs] = [10_000, 3_600_000];
/** Nobody wants to hear of it after so long, in ms. */
const givenUpMs = 86_400_000;

export class Push implements AsyncDisposable {
  readonly #deps: NewsDeps;
  readonly #database: Database;
  #listening: Disposable | null = null;
  readonly #timer = setInterval(() => this.wake(), lookEveryMs).unref();
  #sending: Promise<void> | null = null;
  #isWanted = false;
  #isOver = false;

  constructor(deps: NewsDeps) {
    this.#deps = deps;
    this.#database = deps.store.database;
    this.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#rest();
    await this.#sending;
  }

  /** Somebody has asked to be told, or no longer wants it, or something waits to be sent. */
  wake(): void {
    this.#isWanted = true;
    this.#sending ??= this.#send().finally(() => (this.#sending = null));
  }

  async #send(): Promise<void> {
    while (this.#isWanted && !this.#isOver) {
      this.#isWanted = false;
      try {
        const targets = await pushTargets(this.#database);
        if (targets.length === 0) this.#rest();
        else {
          this.#watch();
          const due = await duePushes(this.#database);
          await Promise.all(due.map((push) => this.#try(push, targets)));
          this.#isWanted ||= due.length > 0;
        }
      } catch (error) {
        this.#deps.log.warn({ error: messageOf(error) }, "nothing can be pushed now");
      }
    }
  }

  #watch(): void {
    if (this.#listening || this.#isOver) return;
    this.#listening = listenForNews(this.#deps, (news) => void this.#keep(news));
    void dropOldPushes(this.#database).catch(() => {});
  }

  #rest(): void {
    this.#listening?.[Symbol.dispose]();
    this.#listening = null;
  }

  async #keep(news: News): Promise<void> {
    try {
      if (await keepNews(this.#database, await pushTargets(this.#database), news)) this.wake();
    } catch (error) {
      this.#deps.log.warn({ kind: news.kind, error: messageOf(error) }, "what happened isn't pushed");
    }
  }

  async #try(push: DuePush, targets: readonly Target[]): Promise<void> {
    const target = targets.find(({ hash }) => hash === push.hash);
    if (!target) return endTry(this.#database, push, { state: "failed", why: "the browser's session is over" });
    const waitMs = Math.min(mostWaitMs, firstWaitMs * 2 ** push.tries);
    // Killed behind this, it is tried again: the same topic and tag are shown once.
    if (!(await beginTry(this.#database, push, Date.now() + waitMs))) return;
    const { journal, settings } = this.#deps;
    const text = JSON.stringify({ kind: push.kind, tag: push.name, to: push.leadsTo });
    const sealed = { topic: push.name, isUrgent: push.kind === "decision", text };
    const outcome = await sendPush(target, sealed, await pushKeys(journal), settings().push);
    await this.#noteOutcome(push, outcome, waitMs);
  }

  async #noteOutcome(push: DuePush, outcome: PushOutcome, waitMs: number): Promise<void> {
    if (outcome.kind === "sent") return endTry(this.#database, push, { state: "sent", why: null });
    const { why } = outcome;
    this.#deps.log.info({ kind: push.kind, why }, "a push wasn't taken");
    if (outcome.kind === "gone") return removePushDevice(this.#database, push.hash);
    const isLate = Date.now() - push.createdAt > givenUpMs;
    if (outcome.kind === "refused" || isLate) return endTry(this.#database, push, { state: "failed", why });
    const next_at = Date.now() + Math.min(mostWaitMs, outcome.retryAfterMs ?? waitMs);
    return endTry(this.#database, push, { state: "waiting", why, next_at });
  }
}

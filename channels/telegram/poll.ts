/** Asks Telegram for what is new, again and again. What comes is taken one after the other, and noted when it was taken: nothing is lost, whenever we end. */
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { setTimeout as delay } from "node:timers/promises";
import { readPollOffset, writePollOffset } from "../../journal/poll-offset.ts";
import type { Logger } from "../../proc/log.ts";
import { NotNowError } from "../delivery-errors.ts";
import { explained, isConflict, TokenRefusedError } from "./failures.ts";

/** How long Telegram holds a question for which there is nothing yet, in s. */
const holdSeconds = 25;
const dayMs = 24 * 3_600_000;
const allowedUpdates = ["message", "callback_query"] as const;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export type Polling = {
  api: Api;
  journal: string;
  /** The bot's id: another bot's updates count on their own. */
  account: string;
  /** Resolves when an update was taken. What it throws is tried again. */
  take: (update: Update) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
};

/** Until the signal. @throws TokenRefusedError */
export async function poll({ api, journal, account, take, log, signal }: Polling): Promise<void> {
  const noted = await readPollOffset(journal, "telegram", account);
  // Telegram keeps nothing for longer than a day, and after a quiet week counts from anywhere: an old place would hide what is new.
  let offset = noted && Date.now() - noted.ts < dayMs ? noted.offset : undefined;
  const trying = new Trying(log, signal);
  while (!signal.aborted) {
    const updates = await trying.once("Telegram isn't asked", () =>
      api.getUpdates(
        { ...(offset === undefined ? {} : { offset }), timeout: holdSeconds, allowed_updates: allowedUpdates },
        signal as Parameters<Api["getUpdates"]>[1],
      ),
    );
    if (updates === undefined) continue;
    // It has heard what was taken: from here on it gives what wasn't.
    const taken = offset ?? 0;
    offset = undefined;
    for (const update of updates) {
      if (update.update_id < taken) continue;
      const isTaken = await trying.until(`update ${update.update_id} isn't taken`, () => take(update));
      if (!isTaken) return;
      offset = update.update_id + 1;
      await writePollOffset(journal, "telegram", { account, offset, ts: Date.now() });
    }
  }
}

/** Tries things that may fail for a while: with a pause that grows, or the one that was asked for. */
class Trying {
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  #pauseMs = firstPauseMs;

  constructor(log: Logger, signal: AbortSignal) {
    this.#log = log;
    this.#signal = signal;
  }

  /** Undefined when it failed, after the pause. */
  async once<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#pauseMs = firstPauseMs;
      return result;
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const problem = explained(error);
      if (problem instanceof TokenRefusedError) throw problem;
      await this.#pause(what, problem.message, problem instanceof NotNowError ? problem.afterMs : undefined);
      if (isConflict(error)) this.#log.warn("another program asks for the same bot's messages: stop it");
      return undefined;
    }
  }

  /** With whether it worked before the signal. */
  async until(what: string, work: () => Promise<void>): Promise<boolean> {
    while (!this.#signal.aborted) {
      try {
        await work();
        this.#pauseMs = firstPauseMs;
        return true;
      } catch (error) {
        if (this.#signal.aborted) return false;
        await this.#pause(what, error instanceof Error ? error.message : String(error), undefined);
      }
    }
    return false;
  }

  async #pause(what: string, error: string, askedMs: number | undefined): Promise<void> {
    const pauseMs = askedMs ?? this.#pauseMs;
    this.#log.warn({ error, pause_ms: pauseMs }, what);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    await delay(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/**
 * Long polling of Telegram: updates are handled one after the other, and the place is noted behind each, so nothing is lost
 * whenever we end. An update that can't be handled is put away at the third failure, and holds up no other.
 */
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../files/errors/error-message.ts";
import { isAway } from "../../bus/runs/ask-again.ts";
import { ChannelFullError } from "../../bus/agents/inbound-refusals.ts";
import { readPollOffset, writePollOffset } from "../../journal/channels/poll-offset.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { isMachineFault } from "../../files/errors/machine-fault.ts";
import { RetryableDeliveryError } from "../adapter/delivery-errors.ts";
import { toDeliveryError, isConflict, TokenRefusedError } from "./failures.ts";

/** Seconds for which Telegram holds a poll without updates. */
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
  /** Resolves when an update is stored; after an error it is called again. */
  handleUpdate: (update: Update) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
};

/** Until the signal. @throws TokenRefusedError */
export async function poll({ api, journal, account, handleUpdate, log, signal }: Polling): Promise<void> {
  const noted = await readPollOffset(journal, "telegram", account);
  // Telegram keeps nothing for longer than a day, and after a quiet week counts from anywhere: an old place would hide what is new.
  let offset = noted && Date.now() - noted.ts < dayMs ? noted.offset : undefined;
  const retrier = new Retrier(log, signal);
  const quarantine = new Quarantine(journal, "telegram");
  while (!signal.aborted) {
    const updates = await retrier.once("Telegram isn't asked", () =>
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
      const key = `${account}:${update.update_id}`;
      const bytes = JSON.stringify(update);
      const isPoisoned = async (error: unknown) =>
        !isOfOurSide(error) && (await quarantine.failed(key, error, { bytes })) === "quarantined";
      const isTaken = await retrier.until(
        `update ${update.update_id} isn't taken`,
        () => handleUpdate(update),
        isPoisoned,
      );
      if (isTaken === "taken") quarantine.succeeded(key);
      else if (isTaken === "stopped") return;
      offset = update.update_id + 1;
      await writePollOffset(journal, "telegram", { account, offset, ts: Date.now() });
    }
  }
}

/** Whether the bus or the disk is at fault, which may be well again, and not the update. */
const isOfOurSide = (error: unknown) => isAway(error) || error instanceof ChannelFullError || isMachineFault(error);

/** Retries of work that may fail for a while: with a pause that grows, or the one that was asked for. */
class Retrier {
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
      const problem = toDeliveryError(error);
      if (problem instanceof TokenRefusedError) throw problem;
      await this.#pause(what, problem.message, problem instanceof RetryableDeliveryError ? problem.afterMs : undefined);
      if (isConflict(error)) this.#log.warn("another program asks for the same bot's messages: stop it");
      return undefined;
    }
  }

  /** Until it works, is given up, or the signal. */
  async until(
    what: string,
    work: () => Promise<void>,
    isGivenUp: (error: unknown) => Promise<boolean>,
  ): Promise<"taken" | "given up" | "stopped"> {
    while (!this.#signal.aborted) {
      try {
        await work();
        this.#pauseMs = firstPauseMs;
        return "taken";
      } catch (error) {
        if (this.#signal.aborted) return "stopped";
        if (await isGivenUp(error)) {
          this.#pauseMs = firstPauseMs;
          this.#log.error({ err: error }, `${what}: it was put away, see cortex doctor`);
          return "given up";
        }
        await this.#pause(what, messageOf(error), undefined);
      }
    }
    return "stopped";
  }

  async #pause(what: string, error: string, askedMs: number | undefined): Promise<void> {
    const pauseMs = askedMs ?? this.#pauseMs;
    this.#log.warn({ error, pause_ms: pauseMs }, what);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    await delay(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
  }
}

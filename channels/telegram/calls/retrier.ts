/** Retries of calls that may fail for a while: with a pause that grows, or the one that Telegram asks for. */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../files/errors/error-message.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import { longestAskedMs } from "../../adapter/calls/retry-after.ts";
import { RetryableDeliveryError } from "../../adapter/delivery-errors.ts";
import { toDeliveryError, TokenRefusedError } from "./failures.ts";

const firstPauseMs = 500;
const longestPauseMs = 30_000;

export class Retrier {
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  #pauseMs = firstPauseMs;

  constructor(log: Logger, signal: AbortSignal) {
    this.#log = log;
    this.#signal = signal;
  }

  /**
   * Makes a call of Telegram. Undefined when it failed, after the pause.
   * @param onError hears of the failure first
   * @throws TokenRefusedError
   */
  async once<T>(
    what: string,
    call: () => Promise<T>,
    onError?: (error: unknown) => Promise<void>,
  ): Promise<T | undefined> {
    try {
      const result = await call();
      if (result === undefined) throw new Error("the answer has no result");
      this.#pauseMs = firstPauseMs;
      return result;
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const problem = toDeliveryError(error);
      if (problem instanceof TokenRefusedError) throw problem;
      await onError?.(error);
      await this.#pause(what, problem.message, problem instanceof RetryableDeliveryError ? problem.afterMs : undefined);
      return undefined;
    }
  }

  /** Makes a call of Telegram until it works. Undefined: the signal came first. @throws TokenRefusedError */
  async always<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
    while (!this.#signal.aborted) {
      const result = await this.once(what, call);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Does work of ours until it succeeds, is given up, or the signal. */
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
          return "given up";
        }
        await this.#pause(what, messageOf(error), undefined);
      }
    }
    return "stopped";
  }

  async #pause(what: string, error: string, askedMs: number | undefined): Promise<void> {
    const pauseMs = Math.min(askedMs ?? this.#pauseMs, longestAskedMs);
    this.#log.warn({ error, pause_ms: pauseMs }, what);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    await delay(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
  }
}

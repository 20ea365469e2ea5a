/** Tries a call of the model again when the failure may pass. The numbers are those of docs/contract.md. */
import type { Clock } from "./clock.ts";
import { ProviderError } from "./provider.ts";

const maxAttempts = 8;
const firstDelayMs = 2_000;
const maxDelayMs = 60_000;
const jitter = 0.2;

/** A provider that asks for longer than a run may last by default isn't waited for. */
const maxRetryAfterMs = 600_000;

/** `attempt`: the one that failed, from 1. `status`: what the provider answered, if it did. */
export type Retry = { attempt: number; delay_ms: number; reason: string; status?: number };

/** Least wait for a rate limit that isn't counted: a provider that names none could be asked without end. */
const leastUncountedMs = 1_000;

/**
 * Calls `attempt` until it succeeds, at most 8 times, or as often as `waits` has waits and once more. With `waits`, a rate
 * limit whose end the provider names is waited out as it asks and counts for none of them. `onRetry` hears of each failure
 * that is tried again, before the wait.
 * @param waits in seconds
 * @throws what `attempt` threw last; the signal's reason when it is aborted during a wait
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  onRetry: (retry: Retry) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
  waits?: readonly number[],
): Promise<T> {
  let uncounted = 0;
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !(error instanceof ProviderError) || !error.isRetryable) throw error;
      const { status, message: reason, retryAfterMs } = error;
      const isNamedLimit = waits !== undefined && status === 429 && retryAfterMs !== undefined;
      if (isNamedLimit) uncounted++;
      const delay_ms = isNamedLimit
        ? Math.max(retryAfterMs, leastUncountedMs)
        : waits
          ? waitOf(waits, number - uncounted)
          : usualWait(error, number, clock);
      if (delay_ms === null) throw lastly(error, number === 1 ? reason : `${reason} (tried ${number} times)`);
      if (delay_ms > maxRetryAfterMs)
        throw lastly(error, `${reason} (asks to wait ${Math.ceil(delay_ms / 1000)} s: not waited for)`);
      await onRetry({ attempt: number, delay_ms, reason, ...(status !== undefined && { status }) });
      await clock.sleep(delay_ms, signal);
    }
  }
}

/** Null: there is none left. */
function waitOf(waits: readonly number[], number: number): number | null {
  const seconds = waits[number - 1];
  return seconds === undefined ? null : Math.round(seconds * 1000);
}

function usualWait({ retryAfterMs }: ProviderError, number: number, clock: Clock): number | null {
  if (number === maxAttempts) return null;
  return retryAfterMs ?? backoff(number, clock.random());
}

/** 2 s, 4 s, 8 s, … ± 20 %, at most 60 s. `random` is from 0 to 1. */
export function backoff(attempt: number, random: number): number {
  const delay = firstDelayMs * 2 ** (attempt - 1) * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.min(delay, maxDelayMs));
}

function lastly(error: ProviderError, message: string): ProviderError {
  return new ProviderError(message, { reason: error.reason, detail: error.detail, cause: error });
}

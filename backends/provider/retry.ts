/** Tries a call of the model again when the failure may pass. The numbers are those of docs/contract.md. */
import type { Clock } from "./clock.ts";
import { ProviderError } from "./provider.ts";

const maxAttempts = 8;
const firstDelayMs = 2_000;
const maxDelayMs = 60_000;
const jitter = 0.2;

/** A provider that asks for longer than a run may last by default isn't waited for. */
const maxRetryAfterMs = 600_000;

/** `attempt`: the one that failed, from 1. */
export type Retry = { attempt: number; delay_ms: number; reason: string };

/**
 * Calls `attempt` until it succeeds, at most 8 times. `onRetry` hears of each failure that is tried again, before the wait.
 * @throws what `attempt` threw last; the signal's reason when it is aborted during a wait
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  onRetry: (retry: Retry) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !(error instanceof ProviderError) || !error.isRetryable) throw error;
      if (number === maxAttempts) throw lastly(error, `${error.message} (tried ${maxAttempts} times)`);
      const delay_ms = error.retryAfterMs ?? backoff(number, clock.random());
      if (delay_ms > maxRetryAfterMs)
        throw lastly(error, `${error.message} (asks to wait ${Math.ceil(delay_ms / 1000)} s: not waited for)`);
      await onRetry({ attempt: number, delay_ms, reason: error.message });
      await clock.sleep(delay_ms, signal);
    }
  }
}

/** 2 s, 4 s, 8 s, … ± 20 %, at most 60 s. `random` is from 0 to 1. */
export function backoff(attempt: number, random: number): number {
  const delay = firstDelayMs * 2 ** (attempt - 1) * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.min(delay, maxDelayMs));
}

function lastly(error: ProviderError, message: string): ProviderError {
  return new ProviderError(message, { reason: error.reason, cause: error });
}

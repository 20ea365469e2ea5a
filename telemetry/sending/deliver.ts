/** Sends a body until the receiver has taken it, or refuses it for good: for as long as it is away. */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../proc/logging/log.ts";
import type { TelemetrySettings } from "../../protocol/settings/parts/telemetry-settings.ts";
import type { Outgoing } from "./kept-telemetry.ts";
import type { ReceiverLog } from "./receiver-log.ts";
import { sendOnce } from "./send-once.ts";

/** Milliseconds for which an answer is waited for: OTLP's own default. */
const answerMs = 10_000;
/** Milliseconds until the next try: the first time, and at most. Each wait is spread, so that many don't come back at once. */
const [firstWaitMs, longestWaitMs] = [1000, 60_000];

export type DeliverDeps = {
  settings: TelemetrySettings;
  log: Pick<Logger, "info" | "warn">;
  answers: Pick<ReceiverLog, "report">;
  /** Replaced by tests of the waits. */
  sendOnce?: typeof sendOnce;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Resolves with whether the body is done with; false: `signal` came first. */
export async function deliver(
  { settings, log, answers, sendOnce: send = sendOnce, wait = waitFor }: DeliverDeps,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<boolean> {
  const { path } = outgoing;
  let failures = 0;
  while (!signal.aborted) {
    const outcome = await send(settings, outgoing, AbortSignal.any([signal, AbortSignal.timeout(answerMs)]));
    if (outcome.is !== "unanswered") {
      answers.report(path, outcome);
      if (failures > 0) log.info({ path, failures }, "the receiver answers again");
      return true;
    }
    if (signal.aborted) return false;
    // Said once: it may be away for days.
    if (failures === 0) log.warn({ path, why: outcome.why }, "the receiver doesn't take what is sent: trying again");
    const usual = Math.min(firstWaitMs * 2 ** failures, longestWaitMs);
    // A wait of nothing, or until a time that is past by our clock, is no leave to ask without a pause.
    await wait(Math.max(outcome.afterMs ?? usual * (0.5 + Math.random() / 2), firstWaitMs / 2), signal);
    failures++;
  }
  return false;
}

const waitFor = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => {});

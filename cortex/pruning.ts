/** Once a day, what the settings' retention says is done to old runs. */
import { pruneRuns, PruningError } from "../journal/retention/retention.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Settings } from "../protocol/settings/settings.ts";

/** A start has better things to do first. */
const firstMs = 60_000;
const everyMs = 86_400_000;

/** Prunes a minute after the start and then daily, as long as the settings have a retention, until the signal. */
export function pruneDaily(journal: string, settings: () => Settings, log: Logger, signal: AbortSignal): void {
  let timer = setTimeout(again, firstMs);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });

  function again(): void {
    timer = setTimeout(again, everyMs);
    void pruneOnce(journal, settings().retention, log, signal);
  }
}

async function pruneOnce(journal: string, retention: Settings["retention"], log: Logger, signal: AbortSignal) {
  if (!retention) return;
  try {
    const { compressed, deleted, kept, failed, attachments } = await pruneRuns(journal, { ...retention, signal });
    const counts = { compressed: compressed.length, deleted: deleted.length, kept: kept.length };
    log.info({ ...counts, attachments: attachments.deleted.length }, "old runs were pruned");
    if (attachments.error !== undefined) log.warn({ error: attachments.error }, "stored files couldn't be pruned");
    for (const { agent_id, error } of failed) log.warn({ agent_id, error }, "a run couldn't be pruned");
  } catch (error) {
    if (error instanceof PruningError) log.info(error.message);
    else log.error({ err: error }, "old runs couldn't be pruned");
  }
}

/**
 * Long polling of Telegram: updates are handled one after the other, and the place is noted behind each, so nothing is lost
 * whenever we end.
 */
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { readPollOffset, writePollOffset } from "../../journal/channels/poll-offset.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { isConflict, isConflictWithWebhook } from "./calls/failures.ts";
import { Retrier } from "./calls/retrier.ts";
import type { PoisonedUpdates } from "./poisoned-updates.ts";
import { allowedUpdates } from "./updates/update.ts";

/** Seconds for which Telegram holds a poll without updates. */
const holdSeconds = 25;
const dayMs = 24 * 3_600_000;

export type Polling = {
  api: Api;
  journal: string;
  /** The bot's id: another bot's updates count on their own. */
  account: string;
  /** Resolves when an update is stored; after an error it is called again. */
  handleUpdate: (update: Update) => Promise<void>;
  poisoned: PoisonedUpdates;
  log: Logger;
  signal: AbortSignal;
};

type CallSignal = Parameters<Api["getUpdates"]>[1];

/** Until the signal. @throws TokenRefusedError */
export async function poll({ api, journal, account, handleUpdate, poisoned, log, signal }: Polling): Promise<void> {
  const noted = await readPollOffset(journal, "telegram", account);
  // Telegram keeps nothing for longer than a day, and after a quiet week counts from anywhere: an old place would hide what is new.
  let offset = noted && Date.now() - noted.ts < dayMs ? noted.offset : undefined;
  const retrier = new Retrier(log, signal);
  const onError = async (error: unknown) => {
    if (isConflictWithWebhook(error)) await endWebhook(api, log, signal as CallSignal);
    else if (isConflict(error)) log.warn("another program asks for the same bot's messages: stop it");
  };
  while (!signal.aborted) {
    const asked = { timeout: holdSeconds, allowed_updates: allowedUpdates, ...(offset !== undefined && { offset }) };
    const ask = async () => listed(await api.getUpdates(asked, signal as CallSignal));
    const updates = await retrier.once("Telegram isn't asked", ask, onError);
    if (updates === undefined) continue;
    // It has heard what was taken: from here on it gives what wasn't.
    const taken = offset ?? 0;
    offset = undefined;
    for (const update of updates) {
      if (update.update_id < taken) continue;
      const isTaken = await retrier.until(
        `update ${update.update_id} isn't taken`,
        () => handleUpdate(update),
        (error) => poisoned.failed(update, error),
      );
      if (isTaken === "taken") poisoned.taken(update);
      else if (isTaken === "stopped") return;
      offset = update.update_id + 1;
      await writePollOffset(journal, "telegram", { account, offset, ts: Date.now() });
    }
  }
}

/** Half an answer may be no list. */
function listed(updates: unknown): Update[] {
  if (!Array.isArray(updates)) throw new TypeError("the answer is no list of updates");
  return updates;
}

/** Telegram gives updates to a webhook or to who asks. What it hasn't delivered yet stays. */
async function endWebhook(api: Api, log: Logger, signal: CallSignal): Promise<void> {
  log.info("Telegram has a webhook for this bot, and the settings have none: it is taken away");
  await api.deleteWebhook({}, signal).catch(() => {}); // the next question says that it is still there
}

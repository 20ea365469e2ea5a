/** Updates that can't be taken: each is put away at its third failure, so it holds up no other. */
import type { Update } from "grammy/types";
import { isAway } from "../../bus/runs/ask-again.ts";
import { ChannelFullError } from "../../bus/agents/inbound-refusals.ts";
import { isMachineFault } from "../../files/errors/machine-fault.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import type { Logger } from "../../proc/logging/log.ts";

export class PoisonedUpdates {
  readonly #quarantine: Quarantine;
  readonly #account: string;
  readonly #log: Logger;

  /** @param account the bot's id: another bot's updates count on their own */
  constructor(journal: string, account: string, log: Logger) {
    this.#quarantine = new Quarantine(journal, "telegram");
    this.#account = account;
    this.#log = log;
  }

  /** Counts a failure. Resolves with whether the update was put away. */
  async failed(update: Update, error: unknown): Promise<boolean> {
    if (isOfOurSide(error)) return false;
    const bytes = JSON.stringify(update);
    if ((await this.#quarantine.failed(this.#keyOf(update), error, { bytes })) === "retry") return false;
    this.#log.error({ err: error, update: update.update_id }, "an update was put away, see cortex doctor");
    return true;
  }

  taken(update: Update): void {
    this.#quarantine.succeeded(this.#keyOf(update));
  }

  #keyOf({ update_id }: Update): string {
    return `${this.#account}:${update_id}`;
  }
}

/** Whether the bus or the disk is at fault, which may be well again, and not the update. */
const isOfOurSide = (error: unknown) => isAway(error) || error instanceof ChannelFullError || isMachineFault(error);

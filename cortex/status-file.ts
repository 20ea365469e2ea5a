/** Keeps `.run/status.json` as things stand. One write after the other; changes that come while one is under way are one more. */
import { type LiveStatus, writeLiveStatus } from "../journal/programs/live-status.ts";
import type { Logger } from "../proc/logging/log.ts";

export class StatusFile {
  readonly #journal: string;
  readonly #log: Logger;
  readonly #statusNow: () => LiveStatus;
  #isDue = false;
  #written: Promise<void> = Promise.resolve();

  constructor(journal: string, log: Logger, statusNow: () => LiveStatus) {
    this.#journal = journal;
    this.#log = log;
    this.#statusNow = statusNow;
  }

  /** Something has changed. Resolves when the file says so. */
  changed(): Promise<void> {
    if (this.#isDue) return this.#written;
    this.#isDue = true;
    this.#written = this.#written.then(async () => {
      this.#isDue = false;
      await writeLiveStatus(this.#journal, this.#statusNow()).catch((error: unknown) =>
        this.#log.warn({ err: error }, "the status file couldn't be written"),
      );
    });
    return this.#written;
  }
}

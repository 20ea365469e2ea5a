/** Keeps `.run/status.json` as things stand. One write after the other; changes that come while one is under way are one more. */
import { CoalescedWork } from "../files/serial-queue.ts";
import { type LiveStatus, writeLiveStatus } from "../journal/programs/live-status.ts";
import type { Logger } from "../proc/logging/log.ts";

export class StatusFile {
  readonly #writing: CoalescedWork;

  constructor(journal: string, log: Logger, statusNow: () => LiveStatus) {
    this.#writing = new CoalescedWork(() =>
      writeLiveStatus(journal, statusNow()).catch((error: unknown) =>
        log.warn({ err: error }, "the status file couldn't be written"),
      ),
    );
  }

  /** Something has changed. Resolves when the file says so. */
  changed(): Promise<void> {
    return this.#writing.run();
  }
}

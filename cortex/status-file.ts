/** Keeps `.run/status.json` as things stand. One write after the other; changes that come while one is under way are one more. */
import { CoalescedWork } from "../files/locks/serial-queue.ts";
import type { LiveStatus } from "../journal/programs/live-status.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { RunFiles } from "./ports/run-files.ts";

export class StatusFile {
  readonly #writing: CoalescedWork;

  constructor(files: Pick<RunFiles, "writeStatus">, log: Logger, statusNow: () => LiveStatus) {
    this.#writing = new CoalescedWork(() =>
      files
        .writeStatus(statusNow)
        .catch((error: unknown) => log.warn({ err: error }, "the status file couldn't be written")),
    );
  }

  /** Something has changed. Resolves when the file says so. */
  changed(): Promise<void> {
    return this.#writing.run();
  }
}

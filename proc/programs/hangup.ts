/** SIGHUP: whatever follows a file reads it again, also when the system told nobody that the file has changed. */
import type { Logger } from "../logging/log.ts";

/** What is read again, and what it is called in the log. */
export type Reread = { what: string; reload: () => void };

/**
 * Handles SIGHUP from now on, which would end the process otherwise. What can be read again is added as it comes up:
 * `rereads.push(…)`. One that fails is logged, and the others go on.
 */
export function rereadOnHangup(log: Logger, rereads: Reread[] = []): Reread[] {
  process.on("SIGHUP", () => {
    for (const { what, reload } of rereads) {
      try {
        reload();
      } catch (error) {
        log.error({ what, err: error }, "couldn't be read again");
      }
    }
    log.info({ reread: rereads.map(({ what }) => what) }, "SIGHUP: everything was read again");
  });
  return rereads;
}

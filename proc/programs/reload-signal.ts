/** The reload signal, SIGHUP: settings are reread, also where the file system reported no change. */
import type { Logger } from "../logging/log.ts";

/** A source that can be reloaded, and its name in the log. */
export type ReloadSource = { what: string; reload: () => void };

/**
 * Handles SIGHUP from now on, which would end the process otherwise. Sources are added as they come up: `rereads.push(…)`.
 * A failure is logged, and the other sources are still reloaded.
 */
export function reloadOnSignal(log: Logger, rereads: ReloadSource[] = []): ReloadSource[] {
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

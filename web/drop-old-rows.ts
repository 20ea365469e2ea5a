/** Lets go of old rows now and then, while the workspaces are open. */
import { messageOf } from "../files/errors/error-message.ts";
import type { Logger } from "../proc/logging/log.ts";
import { dropOldRows } from "../workspace/database/retention/old-rows.ts";
import type { WorkspaceStore } from "../workspace/database/changes/store.ts";

const everyMs = 3_600_000;

/** A while after the start for the first time: whoever starts often does it as well. */
const firstMs = 60_000;

export function dropOldRowsByTime({ database }: WorkspaceStore, log: Logger): Disposable {
  const drop = () =>
    void dropOldRows(database, Date.now()).then(
      (events) => events > 0 && log.info({ events }, "old events were dropped"),
      (error: unknown) => log.warn({ error: messageOf(error) }, "old events aren't dropped yet"),
    );
  const first = setTimeout(drop, firstMs).unref();
  const each = setInterval(drop, everyMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(first);
      clearInterval(each);
    },
  };
}

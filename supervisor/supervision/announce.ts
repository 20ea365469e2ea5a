/** Announces a change of a program: to the log, and to the listeners of the supervisor's events. */
import type { ProgramStatus } from "../../journal/programs/supervised.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import type { Announcement, ProgramLife } from "./program-life.ts";

export function announce(
  event: Announcement,
  { name, identity }: Pick<ProgramStatus, "name" | "identity">,
  { reason, restarts, wanted, cause }: ProgramLife,
  listeners: { log: Logger; announce: (event: SupervisorEvent) => void },
): void {
  const { log } = listeners;
  const pid = identity?.pid ?? null;
  const fields = { program: name, event, program_pid: pid, restarts, reason };
  const message = `${name}: ${event.replace("_", " ")}${reason === null ? "" : ` (${reason})`}`;
  if (event === "failed") log.error(fields, `${message}: cortex logs ${name}`);
  else if (wanted && isTrouble(event, cause)) log.warn(fields, message);
  else log.info(fields, message);
  listeners.announce({ event, ts: Date.now(), program: name, pid, restarts, reason });
}

function isTrouble(event: Announcement, cause: ProgramLife["cause"]): boolean {
  return event === "unresponsive" || event === "backing_off" || (event === "exited" && cause !== "renewed");
}

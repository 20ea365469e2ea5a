/** The schedule's ledger, for commands: as the bus's user `schedule`, whose password only the journal's owner can read. */
import { messageOf } from "../../files/errors/error-message.ts";
import { copyNote } from "../../journal/config/folder-mark.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { ScheduleLedger } from "../../bus/schedule/schedule-ledger.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { noBusError } from "../command/command.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

export type OpenLedger = AsyncDisposable & { bus: Bus; ledger: ScheduleLedger };

/** @throws CommandError (exit 69) when there is no bus, or it doesn't answer */
export async function openLedger({ journalPath, natsUrl, natsFiles }: Environment): Promise<OpenLedger> {
  const access = natsUrl === undefined ? readBusAccess(journalPath) : null;
  const url = natsUrl ?? access?.url;
  if (url === undefined) throw noBusError(`no bus: nothing runs on ${journalPath}${copyNote(journalPath)}`);
  try {
    const bus = await openBus(access ? addressAs(access, "schedule") : { url, ...natsFiles }, "schedule");
    const ledger = await ScheduleLedger.open(bus);
    return { bus, ledger, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
  } catch (error) {
    const message = messageOf(error);
    throw noBusError(`no bus at ${shownUrl(url)}: ${message}`, error);
  }
}

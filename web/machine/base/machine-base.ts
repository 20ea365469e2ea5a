/** The base of everything that the web program does with its machine. */
import type { Bus } from "../../../bus/connection/connect.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";

export type MachineBase = {
  journal: string;
  bus: Bus;
  /** As they are now: read anew when the file has changed. */
  settings: () => Settings;
  /** In which days are counted. */
  timeZone: string;
  /** The store of the workspaces. Null: there are none. */
  store: WorkspaceStore | null;
  log: Logger;
};

/** Nobody is there who could do what was asked: it may be asked again. */
export class UnavailableError extends Error {
  override name = "UnavailableError";
}

/** The bus, where it is there. @throws UnavailableError */
export function busOf({ bus }: Pick<MachineBase, "bus">): Bus {
  if (!bus.isConnected) throw new UnavailableError("the bus is away now: cortex status says why");
  return bus;
}

/** Connections as another of the bus's users, for what the web program's own may not ask: the agents' commands, the schedule's ledger. */
import { type Bus, openBus } from "../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { type MachineBase, UnavailableError } from "./machine-base.ts";

export type UsersBus = AsyncDisposable & { bus: Bus };

/** @throws UnavailableError when there is no bus, or it doesn't answer */
export async function busAs(
  { journal, bus: own }: Pick<MachineBase, "journal" | "bus">,
  user: "owner" | "schedule",
): Promise<UsersBus> {
  if (!own.isConnected) throw new UnavailableError("the bus is away now: cortex status says why");
  const access = readBusAccess(journal);
  // A bus that somebody else has made knows no users of ours.
  if (access === null) return { bus: own, [Symbol.asyncDispose]: async () => {} };
  try {
    const bus = await openBus(addressAs(access, user), user);
    return { bus, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
  } catch (error) {
    throw new UnavailableError("the bus doesn't answer: cortex status says why", { cause: error });
  }
}

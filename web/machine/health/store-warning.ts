/** The meaning of a store of the bus that isn't synchronous. `cortex status`, `cortex doctor` and the page tell it. */
import type { BusStore } from "../../../journal/access/bus-store.ts";

/** The loss that a store that isn't risks. */
export const unsafeStoreCost =
  "a power cut may lose what the bus accepted in the last two minutes: waiting requests, but no files of runs";

/** Why a store isn't as safe as it was meant to be, for people; null: it is. */
export function storeWarning({ problem }: Pick<BusStore, "problem">): { detail: string; remedy: string } | null {
  if (problem === null) return null;
  return {
    detail: `the bus's store can't be made synchronous (${problem}): ${unsafeStoreCost}`,
    remedy: `nats-server 2.10 or newer, or a journal on ext4, XFS or btrfs with chattr (e2fsprogs); "durability": "fast" in cortex.json accepts that without this warning`,
  };
}

/** The memory and processors that the machine has. */
import { totalmem } from "node:os";

/** Its memory in bytes, or less where this process may not have all of it. */
export function machineBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

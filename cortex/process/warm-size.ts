/** How many processes may wait for a run. Pure. */
import type { Settings } from "../../protocol/settings/settings.ts";

/** Bytes that one process takes while it waits, rounded up: 64 MiB. */
const eachBytes = 64 * 1024 * 1024;
/** The share of the memory that all waiting processes may take. */
const share = 1 / 8;

/** @param capacity how many runs there may be at once */
export function mostWarm({ max_warm }: Settings, capacity: number, machineBytes: number): number {
  return max_warm ?? Math.min(capacity, Math.floor((machineBytes * share) / eachBytes));
}

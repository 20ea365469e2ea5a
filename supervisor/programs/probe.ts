/** Probes: questions to a process whether it answers. */
import { activeTimeout } from "../../proc/os/active-timeout.ts";

/** Asks a process whether it answers. An exception counts as no. */
export type Probe = (process: { pid: number; startedAt: number }) => Promise<boolean>;

/** Longest time of a probe; a hanging one counts as no. */
const probeWithinMs = 2000;

/** Whether a process answers. A probe that throws or hangs counts as no answer. */
export async function probeAnswers(probe: Probe, pid: number, startedAt: number): Promise<boolean> {
  const settled = new AbortController();
  try {
    return await Promise.race([probe({ pid, startedAt }), activeTimeout(probeWithinMs, settled.signal)]);
  } catch {
    return false;
  } finally {
    settled.abort();
  }
}

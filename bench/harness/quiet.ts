/** Waits until a system has nothing to do: its pool of warm processes is full, what it cleans up is cleaned up. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { namesIn } from "../../files/folder-entries.ts";
import { liveRunsFolder } from "../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../proc/runs/run.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import { processesOf } from "../../test/support/journal-processes.ts";
import { cpuOf } from "./processes.ts";

/** So long the same processes live, and those of runs compute nothing. */
const stillMs = 150;
/** A system that isn't quiet by then is measured as it is. */
const patienceMs = 10_000;

/** @param standing the pids of programs that always run, and always do a little */
export async function quiet(journal: string, standing: readonly number[] = []): Promise<void> {
  const look = () => {
    const pids = processesOf(journal).map(({ pid }) => pid);
    return `${pids.join()} ${cpuOf(pids.filter((pid) => !standing.includes(pid)))}`;
  };
  const end = performance.now() + patienceMs;
  for (let before = ""; performance.now() < end; await delay(stillMs)) {
    const now = look();
    if (now === before) return;
    before = now;
  }
}

/** The pids of the agents that wait for a run. None where there is no pool. */
export function warmAgents(journal: string): number[] {
  const pool = join(liveRunsFolder(journal), "pool");
  return namesIn(pool).flatMap((name) => {
    const agent = agentOf(join(pool, name));
    return agent && isAlive(agent) ? [agent.pid] : [];
  });
}

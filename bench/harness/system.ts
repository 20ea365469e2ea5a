/** A bus and a cortex on a journal of their own, and what is asked of them again and again. */
import { readFileSync } from "node:fs";
import { runtime } from "../../journal/config/paths.ts";
import { CortexSystem, type SystemOptions } from "../../test/support/cortex-system.ts";
import { processesOf } from "../../test/support/journal-processes.ts";
import { ask, settled } from "./ask.ts";
import { cpuOf, cpuOfEnded, firstProcess } from "./processes.ts";
import { quiet } from "./quiet.ts";

/** A system whose client hears nothing but what it asks for. */
export const startSystem = (options: SystemOptions) => CortexSystem.start({ ...options, hears: "cortex.event.none.*" });

/** Lists the processes that always run: the bus and cortex. */
export function standing({ journal, pid }: CortexSystem): number[] {
  return [pid, Number(readFileSync(runtime(journal, "nats.pid"), "utf8"))];
}

/** One run, of a system that has nothing else to do: request to `finish`, in ms. */
export async function timeRun(system: CortexSystem, fields: Record<string, unknown>): Promise<number> {
  await quiet(system.journal, standing(system));
  const { agentId, ms } = await ask(system.bus, fields);
  await settled(system.journal, agentId);
  return ms;
}

/** CPU of a run and of everything that is done for it, in ms: of so many runs one after the other, each his share. */
export async function cpuOfRun(system: CortexSystem, fields: Record<string, unknown>, runs: number): Promise<number> {
  await quiet(system.journal, standing(system));
  const before = cpuOfSystem(system);
  for (let run = 0; run < runs; run++) {
    const { agentId } = await ask(system.bus, fields);
    await settled(system.journal, agentId);
  }
  await quiet(system.journal, standing(system));
  return (cpuOfSystem(system) - before) / runs;
}

/** A run's shim has lost its parent by the time that it ends: what it and its agent used is counted by the first process. */
const cpuOfSystem = ({ journal }: CortexSystem) =>
  cpuOf(processesOf(journal).map(({ pid }) => pid)) + cpuOfEnded(firstProcess);

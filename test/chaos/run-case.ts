/** One case of chaos on a system: brings it to its point, kills, starts again, waits for the end, and checks everything. */
import { existsSync } from "node:fs";
import { runFolder } from "../../journal/run-folder.ts";
import { runState } from "../../journal/run-files.ts";
import type { CortexSystem } from "../support/cortex-system.ts";
import { type Case, startKind } from "./cases.ts";
import type { ChaosSystem } from "./chaos-system.ts";
import { problemsOf } from "./invariants.ts";

/** How long a run may take that was killed at: its shim may have to be missed, or a lease. */
const endMs = 120_000;
/** More descriptors than this are open after all runs of a cortex have ended: something isn't closed. */
const mostDescriptors = 24;

/** @returns whether the point was reached, and what is wrong */
export async function runCase(chaos: ChaosSystem, one: Case): Promise<{ isReached: boolean; problems: string[] }> {
  const { system } = chaos;
  chaos.stopAt(one.point, one.times);
  const { agentId, nudge } = startKind(one.kind, system);
  let isReached = false;
  try {
    await system.until(
      () => {
        nudge();
        isReached = chaos.isStopped();
        return isReached || isSettled(system, agentId);
      },
      `"${one.point}" is reached`,
      endMs,
    );
    if (isReached) for (const victim of one.killed) await chaos.kill(victim, agentId);
    await chaos.restart();
    await system.until(
      () => {
        nudge();
        return isSettled(system, agentId);
      },
      "everything has ended",
      endMs,
    );
    return { isReached, problems: await problemsSoon(chaos, allOf(system, agentId)) };
  } catch (error) {
    return { isReached, problems: [error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)] };
  }
}

/** A claim is forgotten a little after its end: what is wrong must stay wrong. */
async function problemsSoon({ system, descriptors }: ChaosSystem, ids: string[]): Promise<string[]> {
  let problems: string[] = [];
  const look = async () => {
    problems = await problemsOf(system, ids).catch((error: unknown) => [String(error)]);
    if (descriptors() > mostDescriptors) problems.push(`cortex has ${descriptors()} descriptors open`);
    return problems.length === 0;
  };
  await system.until(look, "nothing is wrong", 15_000).catch(() => {});
  return problems;
}

function isSettled(system: CortexSystem, agentId: string): boolean {
  return allOf(system, agentId).every(
    (id) => runState(system.journal, id) === "ended" && !existsSync(runFolder(system.journal, id)),
  );
}

/** A run, and those that it has handed on to. */
function allOf(system: CortexSystem, agentId: string): string[] {
  const to = system.file(agentId).find(({ event }) => event === "handoff")?.["to"];
  return typeof to === "string" ? [agentId, ...allOf(system, to)] : [agentId];
}

/** One case of chaos on a system: brings it to its point, kills, lets it come back, waits for the end, and checks everything. */
import { existsSync } from "node:fs";
import { runFolder } from "../../../journal/run-folders/run-folder.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import type { JournalClient } from "../../support/journal-client.ts";
import { hasEnded, signalIfThere } from "../../support/journal-processes.ts";
import { askFor, type AskedRun } from "./asked-run.ts";
import type { Case, Victim } from "./cases.ts";
import { type ChaosSystem, descriptorsOf } from "../chaos-system.ts";
import { birthProblems, problemsOf, secretProblems } from "../invariants.ts";
import { patienceMs } from "../../support/patience.ts";

/** Milliseconds that a run may take that was killed at: its shim may have to be missed, or a lease. */
const endMs = 180_000;
/** Milliseconds for which a problem may last: a claim is forgotten a little after its end. */
const wrongMs = patienceMs;
/** Cortex may come to its point right after the last of what is seen from outside: so often it is looked at again. */
const settledLooks = 20;
/** More descriptors than this are open after all runs of a cortex have ended: something isn't closed. */
const mostDescriptors = 32;

/** Whether the point was reached, and what is wrong. */
export type CaseOutcome = { isReached: boolean; problems: string[] };

export async function runCase(chaos: ChaosSystem, one: Case): Promise<CaseOutcome> {
  const { client, stop } = chaos;
  let isReached = false;
  try {
    stop.set(one.point, one.times);
    const run = await askFor(one.kind, client);
    let looks = 0;
    const isOver = () => {
      run.nudge();
      isReached = stop.isReached();
      return isReached || (isSettled(client, run.id()) && ++looks >= settledLooks);
    };
    await client.until(isOver, `"${one.point}" is reached`, endMs);
    stop.clear();
    if (isReached) await killAll(client, pidsOf(chaos, one.killed, run.id()));
    stop.letGo();
    await chaos.restart();
    await run.repeat();
    const isDone = () => {
      run.nudge();
      stop.letGo();
      return isSettled(client, run.id());
    };
    await client.until(isDone, "everything has ended", endMs);
    return { isReached, problems: await lastingProblems(chaos, run) };
  } catch (error) {
    return { isReached, problems: [String(error).split("\n", 1)[0] ?? ""] };
  }
}

async function killAll(client: JournalClient, pids: number[]): Promise<void> {
  for (const pid of pids) signalIfThere(pid, "SIGKILL");
  await client.until(() => pids.every(hasEnded), "all that were killed have ended");
}

/** All together, before the first of them is killed: those that come back are others. */
function pidsOf(chaos: ChaosSystem, victims: Victim[], agentId: string | undefined): number[] {
  return victims.flatMap((victim) => {
    if (victim !== "agent") return chaos.pidOf(victim) ?? [];
    return agentId === undefined ? [] : [1, 2, 3].flatMap((attempt) => chaos.client.attemptPids(agentId, attempt));
  });
}

/** Finds the problems that stay. */
async function lastingProblems(chaos: ChaosSystem, run: AskedRun): Promise<string[]> {
  const { client } = chaos;
  const agentId = run.id() ?? "";
  let problems: string[] = [];
  const look = async () => {
    chaos.stop.letGo(); // who has come to the point after all
    problems = [
      ...(await problemsOf(client, allOf(client, agentId), chaos.pids()).catch((error: unknown) => [String(error)])),
      ...birthProblems(client, agentId, run.births),
      ...(run.secret === undefined ? [] : secretProblems(client.journal, run.secret)),
      ...(descriptorsOf(chaos) > mostDescriptors ? [`cortex has ${descriptorsOf(chaos)} descriptors open`] : []),
    ];
    return problems.length === 0;
  };
  await client.until(look, "nothing is wrong", wrongMs).catch(() => {});
  return problems;
}

function isSettled(client: JournalClient, agentId: string | undefined): boolean {
  if (agentId === undefined) return false;
  return allOf(client, agentId).every(
    (id) => runState(client.journal, id) === "ended" && !existsSync(runFolder(client.journal, id)),
  );
}

/** A run, and those that it has handed on to. */
function allOf(client: JournalClient, agentId: string): string[] {
  const to = client.file(agentId).find(({ event }) => event === "handoff")?.["to"];
  return typeof to === "string" ? [agentId, ...allOf(client, to)] : [agentId];
}

/** The status of a program, as `.run/supervisor.json` and the commands show it; and what the next supervisor remembers of it. */
import type { ProgramStatus } from "../../journal/programs/supervised.ts";
import type { Program } from "../programs/program.ts";
import type { ProgramLife, ProgramMemory } from "./program-life.ts";
import type { ProgramProcess } from "./program-process.ts";

export function statusOf(
  { name, needs }: Program,
  life: ProgramLife,
  { identity, nonce, fingerprint }: Pick<ProgramProcess, "identity" | "nonce" | "fingerprint">,
): ProgramStatus {
  return {
    name,
    state: shownState(life),
    identity,
    nonce,
    makeup: fingerprint,
    started_at: life.startedAt,
    restarts: life.restarts,
    since: life.since,
    reason: life.state === "down" && life.wanted && !life.needsMet ? `waits for ${needs.join(", ")}` : life.reason,
    deaths: life.deaths,
    streak: life.streak,
    has_failed: life.hasFailed,
    not_before: life.notBefore,
  };
}

/** The deaths of a program, which a killed supervisor doesn't forgive. One that was stopped on purpose begins anew. */
export function memoryOf(former: ProgramStatus | undefined): ProgramMemory | undefined {
  if (!former || former.state === "stopped") return undefined;
  const { deaths, streak, restarts, reason } = former;
  return { deaths, streak, restarts, reason, hasFailed: former.has_failed, notBefore: former.not_before };
}

function shownState({ state, wanted }: ProgramLife): ProgramStatus["state"] {
  switch (state) {
    case "down":
      return wanted ? "waiting" : "stopped";
    case "up":
      return "starting";
    case "backingOff":
      return "backing_off";
    default:
      return state;
  }
}

/** How the programs of a journal are at this moment: `cortex status` and the page tell the same. Reads files and asks the system; needs no bus. */
import { type ShownProgram, shownPrograms } from "../../../journal/programs/status-files.ts";
import { isAlive } from "../../../proc/processes/identity.ts";

export type ProgramNow = {
  name: string;
  state: ShownProgram["state"] | "unsupervised";
  pid: number | null;
  restarts: number;
  since: string;
  reason: string | null;
};

/** @field isWatched whether a supervisor lives that starts them again */
export type ProgramsNow = { isWatched: boolean; programs: ProgramNow[] };

export function programsNow(journal: string): ProgramsNow {
  const supervised = shownPrograms(journal);
  const isWatched = supervised !== null && isAlive(supervised.supervisor);
  return { isWatched, programs: (supervised?.programs ?? []).map((program) => programNow(program, isWatched)) };
}

/** Reads a program as it is now: the supervisor's note may be of a moment before. */
function programNow({ name, state, identity, restarts, since, reason }: ShownProgram, isWatched: boolean): ProgramNow {
  const lives = identity !== null && isAlive(identity);
  const now = { name, pid: lives ? identity.pid : null, restarts, since: new Date(since).toISOString() };
  if (!isWatched)
    return lives
      ? { ...now, state: "unsupervised", reason: "it runs without a supervisor: cortex up adopts it" }
      : { ...now, state: "stopped", reason: null };
  // A program that has exited is never ready.
  if (!lives && state === "ready") return { ...now, state: "stopped", reason: "it has ended this moment" };
  return { ...now, state, reason };
}

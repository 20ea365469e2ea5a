/** How the programs of a journal are, as their supervisor and they themselves say it. */
import { copyNote } from "../../journal/config/folder-mark.ts";
import { settingsProblem } from "../../journal/config/kept-settings.ts";
import { type LiveStatus, readLiveStatus } from "../../journal/programs/live-status.ts";
import { readSupervised, type ProgramStatus } from "../../journal/programs/supervised.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Finding } from "./check.ts";

/** Reads the status of the running cortex; null: none runs. */
export function runningCortex(journal: string): LiveStatus | null {
  const cortex = readSupervised(journal)?.programs.find(({ name }) => name === "cortex");
  const live = readLiveStatus(journal);
  return cortex?.identity && isAlive(cortex.identity) && live?.pid === cortex.identity.pid ? live : null;
}

export function checkPrograms({ journalPath: journal }: Environment): Finding {
  const name = "programs";
  const supervised = readSupervised(journal);
  const programs = supervised?.programs ?? [];
  const living = programs.filter(({ identity }) => identity !== null && isAlive(identity));
  const isWatched = supervised !== null && isAlive(supervised.supervisor);
  if (!isWatched && living.length === 0)
    return { name, ok: "ok", detail: `nothing runs on this journal${copyNote(journal)} (start it: cortex up)` };
  if (!isWatched)
    return {
      name,
      ok: "warn",
      detail: `${living.map((one) => one.name).join(", ")} run without a supervisor`,
      remedy: "cortex up",
    };
  const troubled = programs.filter(({ state }) => state !== "ready");
  const failed = troubled.filter(({ state }) => state === "failed");
  const remedy = `cortex logs ${(failed[0] ?? troubled[0])?.name ?? ""}`;
  if (troubled.length > 0)
    return { name, ok: failed.length > 0 ? "fail" : "warn", detail: troubled.map(told).join("; "), remedy };
  const problem = settingsProblem(journal);
  const detail = `${programs.map((one) => one.name).join(", ")} are ready`;
  if (problem === null) return { name, ok: "ok", detail };
  return {
    name,
    ok: "fail",
    detail: `${detail}, and keep the previous settings: ${problem}`,
    remedy: "cortex config check",
  };
}

function told({ name, state, reason }: ProgramStatus): string {
  return `${name} ${state === "failed" ? "has failed" : `is ${state.replace("_", " ")}`}${reason === null ? "" : ` (${reason})`}`;
}

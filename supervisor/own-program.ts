/** A program of this package, which says by a record in `.run/programs/` that it is ready. */
import { readProgramRecord } from "../journal/programs.ts";
import { packageFile } from "../proc/package-file.ts";
import type { Program } from "./program.ts";

/** @param module its main file, relative to the package, without its ending */
export function ownProgram(
  journal: string,
  name: string,
  module: string,
  env: NodeJS.ProcessEnv,
  stopGraceMs: number,
): Program {
  const starter = packageFile("bin/start.js");
  return {
    name,
    command: async () => [process.execPath, starter, module],
    env: { ...env, JOURNAL_PATH: journal },
    isReady: async (pid) => (await readProgramRecord(journal, name))?.pid === pid,
    stopSignal: "SIGTERM",
    stopGraceMs,
  };
}

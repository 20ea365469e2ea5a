/** A program of this package, which says by a record in `.run/programs/` that it is ready. */
import { fileURLToPath } from "node:url";
import { readProgramRecord } from "../journal/programs.ts";
import type { Program } from "./program.ts";

/** @param module its main file, relative to the package, without its ending */
export function ownProgram(
  journal: string,
  name: string,
  module: string,
  env: NodeJS.ProcessEnv,
  stopGraceMs: number,
): Program {
  const starter = fileURLToPath(new URL("../bin/start.js", import.meta.url));
  return {
    name,
    command: async () => [process.execPath, starter, module],
    env: { ...env, JOURNAL_PATH: journal },
    isReady: async (pid) => (await readProgramRecord(journal, name))?.pid === pid,
    stopSignal: "SIGTERM",
    stopGraceMs,
  };
}

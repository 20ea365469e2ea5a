/** Where the logs of the programs stand, in `.run/logs/`, and how large they may become. */
import { fstatSync, statSync } from "node:fs";
import { AdapterType, adapterProgram } from "../../protocol/agents/channel-settings.ts";
import { runtime } from "../config/paths.ts";
import { ProgramLog } from "./program-logs-writer.ts";

/** The programs that have a log, in the order in which they start. */
export const programNames = [
  "supervisor",
  "nats-server",
  "mcp-tools",
  "gateway",
  "cortex",
  "agents",
  "schedule",
  "telemetry",
  ...AdapterType.options.map(adapterProgram),
] as const;
export type ProgramName = (typeof programNames)[number];

/** JSON lines, one a fact. Older ones are `<program>.log.1`, `.2` …; only the program itself writes, or the supervisor for it. */
export const logFile = (journal: string, program: string) => runtime(journal, "logs", `${program}.log`);

/** The captured stderr of a program, and its stdout: its last output before a death above all. */
export const strayFile = (journal: string, program: string) => runtime(journal, "logs", `${program}.stderr`);

/** The log that nats-server itself writes, as text. It renames it to `<this>.<time>` when it has become too large. */
export const natsTextFile = (journal: string) => runtime(journal, "logs", "nats-server.text");

/**
 * The log that a program writes itself, when it was started with its output in the file of its captured stderr, as the supervisor does.
 * Started by hand there is none, and it logs to stderr.
 */
export function ownLog(journal: string, program: ProgramName): ProgramLog | undefined {
  // The supervisor takes /dev/null where there was no room for that file: there may be room for a log later.
  const isSupervised = isStderr(strayFile(journal, program)) || isStderr("/dev/null");
  return isSupervised ? new ProgramLog(logFile(journal, program), program) : undefined;
}

function isStderr(path: string): boolean {
  try {
    const [stderr, file] = [fstatSync(2), statSync(path)];
    return stderr.ino === file.ino && stderr.dev === file.dev;
  } catch {
    return false;
  }
}

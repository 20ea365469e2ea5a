/** How much of a run's process tree can be caught when it is stopped. Found by trying, once. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../os/find-program.ts";

/**
 * - `pidns`: a PID namespace; whatever a run starts ends with it.
 * - `group`: a process group; what leaves it is found by a mark in its environment, if it kept that (Linux).
 */
export type IsolationLevel = "pidns" | "group";

export type Isolation = {
  level: IsolationLevel;
  /** Goes before the shim's command. */
  namespace: string[];
  /** Goes before the agent's command: makes it leader of a new session. */
  newSession: string[];
  /** Whether the kernel counts a run's processes by themselves: in a user namespace it does (Linux 5.14), elsewhere all of the user's together. */
  countsTasks: boolean;
};

const ownNamespace = ["--pid", "--fork", "--kill-child=KILL"];

/**
 * Tries what this system gives.
 * @throws Error when it has no way to start a session, which POSIX systems do
 */
export async function findIsolation(): Promise<Isolation> {
  const newSession = sessionCommand();
  const unshare = process.platform === "linux" ? findProgram("unshare") : null;
  if (unshare) {
    // Root needs no user namespace; without one, setuid programs keep working inside a run.
    const privileged = process.getuid?.() === 0 ? [ownNamespace] : [];
    for (const flags of [...privileged, ["--user", "--map-current-user", ...ownNamespace]]) {
      if (!(await works(unshare, flags))) continue;
      const countsTasks = flags.includes("--user") && process.getuid?.() !== 0; // root is held to no such number
      return { level: "pidns", namespace: [unshare, ...flags], newSession, countsTasks };
    }
  }
  return { level: "group", namespace: [], newSession, countsTasks: false };
}

function sessionCommand(): string[] {
  const setsid = findProgram("setsid");
  if (setsid) return [setsid];
  const perl = findProgram("perl");
  if (perl) return [perl, "-MPOSIX", "-e", "POSIX::setsid(); exec { $ARGV[0] } @ARGV or exit 127;"];
  throw new Error(
    "neither setsid nor perl is on the PATH: one of them is needed to start a run in a session of its own",
  );
}

async function works(unshare: string, flags: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(unshare, [...flags, "true"], { timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}

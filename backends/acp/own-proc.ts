/**
 * A command that gives a program a `/proc` of its own processes. A run's PID namespace has the machine's, where programs that
 * make namespaces in turn look for themselves and don't find themselves.
 */
import { askProgram } from "../../proc/os/ask-program.ts";
import { findProgram } from "../../proc/os/find-program.ts";

/** As root the folder alone is needed; others make a namespace of processes for it, too. */
const ways = [
  ["--mount-proc"],
  ["--user", "--map-current-user", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"],
];

const answerWithinMs = 5_000;

/** Finds what goes before the program; nothing where the system gives it none. */
export async function ownProc(): Promise<string[]> {
  const unshare = process.platform === "linux" ? findProgram("unshare") : null;
  if (unshare === null) return [];
  for (const flags of ways) {
    const { error } = await askProgram(unshare, [...flags, "true"], answerWithinMs);
    if (!error) return [unshare, ...flags];
  }
  return [];
}

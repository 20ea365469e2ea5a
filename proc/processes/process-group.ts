/** A process group: who is in it, and signals to all of them. Its number is the pid of its leader, also when that one has gone. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { hasCode } from "../../files/errors/errno.ts";
import { livingStat } from "./living-stat.ts";

/** The living processes of a group. A zombie is none: whoever should have asked for it may never do so. */
export function membersOf(group: number): number[] {
  if (!mayHaveMembers(group)) return [];
  if (process.platform !== "linux") return listedMembers(group);
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && livingStat(entry)?.group === group)
    .map(Number);
}

/** Whether this process leads a group of its own. */
export const leadsGroup = (pid: number) => membersOf(pid).includes(pid);

/** Sends a signal to all of a group. An empty one is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // EPERM: macOS says so of a group that holds zombies alone.
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

function mayHaveMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

function listedMembers(group: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat="], { encoding: "utf8" }).trim().split("\n");
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith("Z"))
    .map(([pid]) => Number(pid));
}

/** Env markers: a variable in the environment of a process, by which it is found again and told from another with its pid. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Whether a process was started with this variable and value; null where the system doesn't show it, and for the moment in
 * which a process becomes another program: its environment is empty then.
 */
export function hasEnvMarker(pid: number, name: string, value: string): boolean | null {
  if (process.platform !== "linux") return null;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    return environment === "" ? null : environment.split("\0").includes(`${name}=${value}`);
  } catch {
    return false; // gone, or another user's
  }
}

/** The processes with a marker: the one that was given it, and its descendants. */
export function findByEnvMarker(name: string, value: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => pid !== process.pid && hasEnvMarker(pid, name, value));
}

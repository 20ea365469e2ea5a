/**
 * The identity of a process. A pid alone is a number that the system gives away again; with boot and start time it is a
 * name.
 */
import { readFileSync } from "node:fs";
import { livingStat } from "./living-stat.ts";

export type ProcessIdentity = { pid: number; boot: string; start: string };

let bootId: string | undefined;

/** Names this boot of the system. */
export function currentBoot(): string {
  bootId ??=
    process.platform === "linux"
      ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      : toldBy("sysctl", ["-n", "kern.bootsessionuuid"], process.env);
  return bootId;
}

/** When a process started, in the system's own terms; null when there is none, or only its zombie. */
export function startOf(pid: number): string | null {
  if (process.platform !== "linux") {
    try {
      return toldBy("ps", ["-o", "lstart=", "-p", String(pid)], { ...process.env, LC_ALL: "C" }) || null;
    } catch {
      return null;
    }
  }
  return livingStat(pid)?.start ?? null;
}

/** Loaded where it is needed alone: on Linux every short command would pay for it. */
function toldBy(program: string, args: string[], env: NodeJS.ProcessEnv): string {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  return execFileSync(program, args, { encoding: "utf8", env }).trim();
}

/** This process, or another that is alive now; null when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const start = startOf(pid);
  return start === null ? null : { pid, boot: currentBoot(), start };
}

/** Whether exactly this process still lives. */
export function isAlive({ pid, boot, start }: ProcessIdentity): boolean {
  return boot === currentBoot() && squeeze(startOf(pid)) === squeeze(start);
}

/** `"pid boot start\n"`, as the shim writes it; null for a torn one. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const match = /^(\d+) (\S+) (.+)\n$/.exec(text);
  if (!match) return null;
  const [, pid, boot, start] = match;
  return { pid: Number(pid), boot: boot ?? "", start: start ?? "" };
}

// ps pads the day of the month; what stands in a file may have been squeezed.
const squeeze = (text: string | null) => text?.replace(/\s+/g, " ").trim() ?? null;

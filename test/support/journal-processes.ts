/** Finds the processes that belong to a journal, whoever started them. Linux. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export type JournalProcess = { pid: number; command: string };

/** By environment, command line, folder or an open file. This process isn't one of them. */
export function processesOf(journal: string): JournalProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && belongs(name, journal))
    .map((name) => ({ pid: Number(name), command: textOf(`/proc/${name}/cmdline`).replaceAll("\0", " ") }));
}

function belongs(pid: string, journal: string): boolean {
  if (/\) Z /.test(textOf(`/proc/${pid}/stat`))) return false;
  if (textOf(`/proc/${pid}/environ`).includes(journal) || textOf(`/proc/${pid}/cmdline`).includes(journal)) return true;
  if (linkOf(`/proc/${pid}/cwd`).startsWith(journal)) return true;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`).startsWith(journal));
  } catch {
    return false;
  }
}

/** A file of `/proc`, empty when it has gone. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Whether a process has ended. One whose end nobody has heard of yet is a zombie. */
export function hasEnded(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === "" || /\) Z /.test(stat);
}

/** Kills a process with -9, if it still lives. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Finds the processes that belong to a journal, whoever started them. Linux. */
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { namesIn } from "../../files/folder-entries.ts";
import { warmFolder } from "../../journal/run-folders/run-folder.ts";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { patienceMs } from "./patience.ts";

export type JournalProcess = { pid: number; command: string };

/** By environment, command line, folder or an open file. This process isn't one of them. */
export function processesOf(journal: string): JournalProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && belongs(name, journal))
    .map((name) => ({ pid: Number(name), command: textOf(`/proc/${name}/cmdline`).replaceAll("\0", " ") }));
}

/**
 * Lists the processes that are left of a journal after everything of it was stopped. One that has ended or was killed
 * is still there for a moment: it is waited for. One that stays all the same is killed.
 */
export async function leftOf(journal: string): Promise<JournalProcess[]> {
  let left = processesOf(journal);
  for (const end = performance.now() + patienceMs; left.length > 0 && performance.now() < end; ) {
    await delay(10);
    // Those first that are known: to look through all processes of the machine takes much longer.
    const known = left.filter(({ pid }) => belongs(String(pid), journal));
    left = known.length > 0 ? known : processesOf(journal);
  }
  for (const { pid } of left) signalIfThere(pid, "SIGKILL");
  return left;
}

/** Sends a signal to a process, unless it has gone meanwhile. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
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

/** All that belongs to processes that wait for a run. */
export function waitingPids(journal: string): number[] {
  const folder = warmFolder(journal);
  const nonces = namesIn(folder).map((name) => textOf(join(folder, name, "nonce")).trim());
  const isWaiting = (pid: number) =>
    nonces.some((nonce) => nonce !== "" && textOf(`/proc/${pid}/environ`).includes(nonce));
  return processesOf(journal).flatMap(({ pid }) => (isWaiting(pid) ? [pid] : []));
}

/** Whether a process has ended. One whose end nobody has heard of yet is a zombie. */
export function hasEnded(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === "" || /\) Z /.test(stat);
}

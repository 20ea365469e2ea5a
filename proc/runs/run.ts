/** A run's process as cortex sees it. All of it stands in the run's folder (shim.sh says what is what): nothing is kept that couldn't be read again. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { link, mkdir, readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasCode } from "../../files/errors/errno.ts";
import { type ProcessIdentity, isAlive, parseIdentity } from "../processes/identity.ts";
import { failpoint } from "../programs/failpoint.ts";
import type { Isolation } from "./isolation.ts";
import { markName } from "./run-mark.ts";
import { isWaitingForRun } from "./warm-run.ts";

const shim = fileURLToPath(new URL("shim.sh", import.meta.url));

/** Milliseconds for which orphans of an agent may speak after it has ended, before they are stopped. */
const drainSeconds = 2;

export type RunCommand = {
  command: string[];
  /** The whole environment of the agent: nothing is inherited. */
  env: Record<string, string>;
  workFolder: string;
  isolation: Isolation;
  /** Seconds for which the run goes on when the heartbeat is silent. */
  orphanGraceSeconds: number;
  /** Between TERM and KILL when the watchdog stops the run. */
  stopGraceSeconds: number;
  /** The limits to which the kernel holds the agent. */
  limits: KernelLimits;
};

/** Each of a run's processes by itself, but for the tasks, which are counted together where the kernel does that. */
export type KernelLimits = {
  openFiles?: number | undefined;
  /** Processes and threads. Held only where `isolation.countsTasks`. */
  tasks?: number | undefined;
  /** The limit of CPU time, in seconds. At its end a process gets XCPU, 5 s of it later KILL. */
  cpuSeconds?: number | undefined;
};

/** A shell's word for a process that XCPU has ended: its CPU time was used up. */
export const cpuTimeUsedUp = 128 + 24;

/** Tasks that the shim itself has in a run's user namespace. */
const shimTasks = 8;

/** How a run's process ended. */
export type Exit = {
  /** Null when the shim was lost with it: nobody knows. */
  code: number | null;
  /** Why it was stopped, if it was. */
  stop: string | null;
};

/** Makes the folder of a run, ready for its first line. Safe to repeat. */
export async function prepareRun(folder: string): Promise<void> {
  await mkdir(join(folder, "in"), { recursive: true, mode: 0o700 });
  for (const file of ["out", "err"]) await writeFile(join(folder, file), "", { flag: "a", mode: 0o600 });
  await writeFile(join(folder, "nonce"), `${randomUUID()}\n`, { flag: "wx", mode: 0o600 }).catch(unlessExists);
}

/**
 * Starts the run's shim, which starts the agent. Safe to repeat: the shim begins with an exclusive marker.
 * @throws Error when the system can't start a process
 */
export async function startRun(folder: string, run: RunCommand): Promise<void> {
  const { tick, misses } = watchdog(run.orphanGraceSeconds);
  const numbers = [tick, misses, Math.ceil(run.stopGraceSeconds), drainSeconds].map(String);
  const { namespace, newSession, countsTasks } = run.isolation;
  const { openFiles, tasks, cpuSeconds } = run.limits;
  const limits = [openFiles, countsTasks && tasks ? tasks + shimTasks : undefined, cpuSeconds].map(orNone);
  const argv = [...namespace, "/bin/sh", shim, ...numbers, run.workFolder, ...limits, ...newSession, ...run.command];
  const [command = "/bin/sh", ...args] = argv;
  writeFileSync(join(folder, "level"), `${run.isolation.level}\n`, { mode: 0o600 });
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: { ...run.env, [markName]: markOf(folder) },
  });
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  child.unref();
}

const orNone = (limit: number | undefined) => (limit === undefined ? "-" : String(Math.ceil(limit)));

/** How often the watchdog looks, in seconds, and how many times in vain until it stops the run. */
function watchdog(orphanGraceSeconds: number): { tick: number; misses: number } {
  // The heartbeat is looked at eight times within the grace, never more often than once a second: some
  // shells compare times in seconds.
  const tick = Math.max(1, Math.floor(orphanGraceSeconds / 8));
  return { tick, misses: Math.max(2, Math.ceil(orphanGraceSeconds / tick)) };
}

/** The longest that a process may live on when nobody watches over it any more, in ms. */
export function longestOrphanMs({
  orphanGraceSeconds,
  stopGraceSeconds,
}: Pick<RunCommand, "orphanGraceSeconds" | "stopGraceSeconds">): number {
  const { tick, misses } = watchdog(orphanGraceSeconds);
  return (tick * (misses + 1) + stopGraceSeconds + drainSeconds) * 1000;
}

/** Whether an agent was ever started in this folder, and, if that was ahead of its run, has been told of it. */
export const wasStarted = (folder: string) => existsSync(join(folder, "started")) && !isWaitingForRun(folder);

/** Reads the identity of the agent's process, once it has started. */
export function agentOf(folder: string): ProcessIdentity | null {
  return parseIdentity(textOf(join(folder, "id")));
}

/** Whether the agent is there, as far as anybody knows. */
export function isAgentAlive(folder: string): boolean {
  const agent = agentOf(folder);
  return agent !== null && isAlive(agent) && exitOf(folder).code === null;
}

/** How the run's processes are held together: the level that it was started with. */
export const levelOf = (folder: string) => textOf(join(folder, "level")).trim();

/** How the process ended; `code` is null as long as no status is recorded. */
export function exitOf(folder: string): Exit {
  const text = textOf(join(folder, "exit"));
  return { code: text.endsWith("\n") ? Number.parseInt(text, 10) : null, stop: stopReasonOf(folder) };
}

/** Puts a line into the agent's stdin; it arrives whole and in order, whether or not the agent reads. A taken place is left as it is. */
export async function putLine(folder: string, line: string, place?: number): Promise<void> {
  const temporary = join(folder, "in", `.${process.pid}.${randomUUID()}`);
  await writeFile(temporary, `${line}\n`, { mode: 0o600 });
  try {
    for (let next = place ?? (await linesPut(folder)) + 1; ; next++) {
      const isPut = await link(temporary, join(folder, "in", String(next))).then(() => true, unlessExists);
      if (isPut || place !== undefined) break;
    }
    failpoint("line-put");
    wakeFeeder(folder);
  } finally {
    await unlink(temporary);
  }
}

/** How many lines were put. */
async function linesPut(folder: string): Promise<number> {
  return (await placesTaken(folder)).length;
}

async function placesTaken(folder: string): Promise<string[]> {
  return (await readdir(join(folder, "in"))).filter((name) => /^\d+$/.test(name));
}

/** Reads what was put into the agent's stdin, in no order. */
export async function* putTexts(folder: string): AsyncGenerator<string> {
  for (const place of await placesTaken(folder)) yield await readFile(join(folder, "in", place), "utf8");
}

/**
 * Rings at the feeder's door: it looks whether there is a line that it hasn't given yet. Whoever put one may have died
 * before they rang. Never blocks: without a reader it's ENXIO, and a full bell has been heard.
 */
export function wakeFeeder(folder: string): void {
  try {
    const bell = openSync(join(folder, "wake"), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(bell, "\n");
    } finally {
      closeSync(bell);
    }
  } catch (error) {
    // Without a bell there is no feeder yet, or none any more: it looks before it waits.
    if (!hasCode(error, "ENXIO", "ENOENT", "EAGAIN", "EPIPE")) throw error;
  }
}

/** Writes down why a run is stopped. Before the first signal, so that whoever comes later knows. The first reason stays. */
export function recordStop(folder: string, reason: string): void {
  if (stopReasonOf(folder) === null) writeFileSync(join(folder, "stop"), `${reason}\n`, { mode: 0o600 });
}

/** Why the run was stopped, or null. */
export function stopReasonOf(folder: string): string | null {
  return textOf(join(folder, "stop")).trim() || null;
}

/** Sends a signal to the agent's group, if the agent is still the process that was started. */
export function signalRun(folder: string, signal: "SIGTERM" | "SIGKILL"): boolean {
  const agent = agentOf(folder);
  if (!agent || !isAlive(agent)) return false;
  try {
    process.kill(-agent.pid, signal);
    return true;
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
    return false;
  }
}

/** Kills what left the run's group and still carries its mark. Linux; a PID namespace leaves nothing to be found. */
export async function sweepRun(folder: string): Promise<void> {
  // Reading the environment of all processes costs more than everything else that cortex does for a short run.
  if (process.platform !== "linux" || levelOf(folder) === "pidns") return;
  if (!existsSync(join(folder, "nonce"))) return; // nothing was ever prepared
  const mark = `${markName}=${markOf(folder)}`;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environ = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
    if (!environ.split("\0").includes(mark)) continue;
    try {
      process.kill(Number(name), "SIGKILL");
    } catch (error) {
      if (!hasCode(error, "ESRCH")) throw error;
    }
  }
}

function markOf(folder: string): string {
  return readFileSync(join(folder, "nonce"), "utf8").trim();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}

function unlessExists(error: unknown): false {
  if (hasCode(error, "EEXIST")) return false;
  throw error;
}

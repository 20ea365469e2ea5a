/** Holds a process still while its files are copied. Whatever becomes of this process, that one goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds that a stop may take to reach all threads of a process. */
const stoppedWithinMs = 2000;

/** Resolves with what the work gives. */
export async function whilePaused<T>(pid: number, work: () => Promise<T>): Promise<T> {
  // Its stdin ends with this process, however that ends.
  const guard = spawn("sh", ["-c", `echo; read line; kill -CONT ${pid}`], { stdio: ["pipe", "pipe", "ignore"] });
  await once(guard.stdout, "data");
  const over = once(guard, "exit");
  try {
    process.kill(pid, "SIGSTOP");
    for (const end = performance.now() + stoppedWithinMs; !isStopped(pid) && performance.now() < end; await delay(5));
    return await work();
  } finally {
    guard.stdin.end();
    await over;
  }
}

/** Elsewhere than on Linux nobody says, and the time is waited out. */
function isStopped(pid: number): boolean {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

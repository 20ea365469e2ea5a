/** `cortex up --detach`: starts it in a session of its own, and resolves when it is up. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { logFile } from "../../journal/logs/program-logs.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError } from "../command/command.ts";
import { startWaits, tellWaits } from "./waits.ts";

/** The message of a start that succeeded, to the process that waits for it: its rows, and the programs that failed. */
const Up = z.object({ up: z.string(), failed: z.array(z.string()) });
type Up = z.infer<typeof Up>;

/** Longer than any start takes in which something still happens: each program has 30 s, and the bus comes first. */
const upWithinMs = 300_000;
const maxLogBytes = 1024 * 1024;

/** Tells whoever waits for this start, if somebody does. */
export function tellUp(up: Up): void {
  process.send?.(up);
}

/** Whether somebody reads what this process prints: whoever has detached it is gone when it is up. */
export function untilNobodyReads(stop: () => void): void {
  process.once("disconnect", stop);
  process.channel?.unref();
}

/**
 * Starts `cortex up` with these arguments. Resolves with the exit code.
 * @throws CommandError when it has not come up as a whole
 */
export async function upDetached(journal: string, args: string[]): Promise<number> {
  makePrivateFolders(journal);
  const log = logFile(journal, "up");
  const { output, said } = openLog(log);
  const command = [packageFile("bin/cortex.js"), "up", ...args];
  const stdio = ["ignore", output, output, "ipc"] as const;
  const child = spawn(process.execPath, command, { detached: true, stdio: [...stdio] });
  process.on("SIGINT", () => child.kill("SIGTERM")).on("SIGTERM", () => child.kill("SIGTERM"));
  using _waits = tellWaits(() => startWaits(programsOf(journal, child)));
  const up = await Promise.race([told(child), ended(child), tooLong(child, log)]);
  if (typeof up === "number") {
    // What it said of its end is ours to say.
    process.stderr.write(readFileSync(said, "utf8"));
    return up === exitCodes.done ? exitCodes.cancelled : up;
  }
  child.disconnect();
  child.unref();
  // Of a journal that was copied nothing stays in .run.
  process.stdout.write(existsSync(log) ? `${up.up}  log      ${log}\n` : up.up);
  if (up.failed.length === 0) return exitCodes.done;
  throw new CommandError(
    "failed",
    `not everything is up: ${up.failed.join("; ")}`,
    "the rest is running: cortex status; stop it: cortex down",
    exitCodes.failed,
  );
}

/** Appended to: the one that runs on this journal may write there. What is `said` from now on can be read there. */
function openLog(path: string): { output: number; said: number } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.1`);
  const output = openSync(path, "a", 0o600);
  const said = openSync(path, "r");
  readFileSync(said);
  return { output, said };
}

function programsOf(journal: string, { pid }: ChildProcess) {
  const supervised = readSupervised(journal);
  return supervised && supervised.supervisor.pid === pid ? supervised.programs : [];
}

async function told(child: ChildProcess): Promise<Up> {
  const [message] = (await once(child, "message")) as [unknown];
  return Up.parse(message);
}

async function ended(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? exitCodes.failed;
}

async function tooLong(child: ChildProcess, log: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, upWithinMs).unref());
  child.disconnect();
  child.unref();
  throw new CommandError(
    "failed",
    `pid ${child.pid} isn't up after ${upWithinMs / 1000} s; its output: ${log}`,
    "it keeps trying: cortex status; stop it: cortex down",
    exitCodes.failed,
  );
}

/** A command in this process's place: with its stdin, stdout and stderr, in a group of its own that ends when this process does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { hasCode } from "../../files/errors/errno.ts";
import { channelOf } from "./command-process.ts";

export type CommandInPlace = {
  /** Its exit code, 128 and more for a signal. */
  ended: Promise<number>;
  /** The other end of its descriptor 5. */
  channel: Duplex;
  /** Sends its group a signal. */
  signal: (name: NodeJS.Signals) => void;
};

/** Its descriptor 3 is a line to this process, as that of a `CommandProcess` is. @throws Error when the system can't start it */
export async function startInPlace(command: readonly string[], env: Record<string, string>): Promise<CommandInPlace> {
  const [program = "", ...args] = command;
  const stdio = ["inherit", "inherit", "inherit", "pipe", "ignore", "pipe"] as const;
  const child = spawn(program, args, { env, detached: true, stdio: [...stdio] });
  await once(child, "spawn");
  const channel = channelOf(child);
  if (!channel) throw new Error(`${program} was started without a pipe at its descriptor 5`);
  const ended = once(child, "exit").then(([code, signal]: (number | NodeJS.Signals | null)[]) =>
    typeof code === "number" ? code : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0),
  );
  return { ended, channel, signal: (name) => signalGroup(child.pid, name) };
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error; // it has ended
  }
}

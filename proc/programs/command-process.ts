/** A command line of somebody else's, in a group of its own: what it prints as it comes, its end, and its end by us, group and all. */
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { Duplex, type Readable, type Writable } from "node:stream";
import { hasCode } from "../../files/errors/errno.ts";
import { type ProcessIdentity, identifyProcess } from "../processes/identity.ts";

export type CommandLine = {
  command: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  cwd: string;
  onOutput: (from: "stdout" | "stderr", bytes: Buffer) => void;
  /** Told the other end of its descriptor 5, a stream of both directions. Absent: it has none. */
  onChannel?: (channel: Duplex) => void;
};

/** Milliseconds for which output may still be on its way after the exit. */
const drainMs = 500;

export class CommandProcess {
  readonly identity: ProcessIdentity | null;
  /** The exit code, 128 and more for a signal, when it has exited and its output was read. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, onOutput: CommandLine["onOutput"]) {
    this.#child = child;
    this.identity = identifyProcess(child.pid ?? 0);
    child.stdout?.on("data", (bytes: Buffer) => onOutput("stdout", bytes));
    child.stderr?.on("data", (bytes: Buffer) => onOutput("stderr", bytes));
    for (const end of this.#ends) end?.on("error", () => {});
    // What it left behind in its group ends with it. What left the group may hold the output open, and 'close' would wait.
    child.once("exit", () => {
      this.kill();
      channelOf(child)?.destroy();
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), drainMs).unref();
    });
    this.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(code ?? 128 + (signal === "SIGKILL" ? 9 : 15)));
    });
  }

  /**
   * Starts it. Its descriptor 3 is a line to this process, which ends when this process does, however that happens.
   * @throws Error when the system can't
   */
  static async start({ command, env, cwd, onOutput, onChannel }: CommandLine): Promise<CommandProcess> {
    const [program = "", ...args] = command;
    const stdio: StdioOptions = ["pipe", "pipe", "pipe", "pipe", "ignore", onChannel ? "pipe" : "ignore"];
    const child = spawn(program, args, { env, cwd, detached: true, stdio });
    await once(child, "spawn");
    const channel = channelOf(child);
    if (channel) onChannel?.(channel);
    return new CommandProcess(child, onOutput);
  }

  /** Resolves when the text is handed over. @throws Error when it reads no more */
  async write(text: string): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin?.writable) throw new Error("it reads no more");
    await new Promise<void>((resolve, reject) => stdin.write(text, (error) => (error ? reject(error) : resolve())));
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Holds its output back, or lets it come. */
  hold(isHeld: boolean): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.[isHeld ? "pause" : "resume"]();
  }

  /** At once, with its group. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // EPERM: none is left but those that are nobody's to kill, such as the dead.
      if (!hasCode(error, "ESRCH", "EPERM")) throw error;
    }
  }

  /** Lists the streams that are open towards it. */
  get #ends(): (Readable | Writable | null | undefined)[] {
    const { stdin, stdout, stderr, stdio } = this.#child;
    return [stdin, stdout, stderr, stdio[3], channelOf(this.#child)];
  }
}

/** The other end of a process's descriptor 5: the types know five of them. */
export function channelOf(child: ChildProcess): Duplex | null {
  const channel = (child.stdio as unknown[])[5];
  return channel instanceof Duplex ? channel : null;
}

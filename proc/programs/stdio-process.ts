/** A process that exchanges lines over its stdin and stdout. It has a process group of its own, which is stopped as a whole. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hasCode } from "../../files/errors/errno.ts";
import { type ProcessIdentity, identifyProcess, isAlive } from "../processes/identity.ts";
import { type Line, LineSplitter } from "../../files/lines/line-splitter.ts";

export type StdioCommand = {
  command: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  cwd: string;
  onLine: (line: Line) => void;
};

/** Bytes of stderr that are kept to explain its end. */
const tailBytes = 2_048;

/** Longest wait for output still on its way, after its exit. */
const drainMs = 500;

export class StdioProcess {
  readonly identity: ProcessIdentity | null;
  /** Resolves with how it ended, in words, when the process has exited and its output was read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #tail = "";

  private constructor(child: ChildProcess, onLine: (line: Line) => void) {
    this.#child = child;
    this.identity = identifyProcess(child.pid ?? 0);
    const lines = new LineSplitter();
    child.stdout?.on("data", (chunk: Buffer) => {
      for (const line of lines.push(chunk)) onLine(line);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#tail = (this.#tail + text).slice(-tailBytes);
    });
    // A program that has ended doesn't read what is still on its way to it. That is no error of ours.
    child.stdin?.on("error", () => {});
    // What it left behind may hold its stdout open, and 'close' would wait for that.
    child.once("exit", () => {
      this.#signal("SIGKILL");
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), drainMs).unref();
    });
    this.ended = once(child, "close").then(() => {
      const how = child.signalCode === null ? `code ${child.exitCode}` : child.signalCode;
      return this.said === "" ? `it exited with ${how}` : `it exited with ${how}: ${this.said}`;
    });
  }

  /** @throws Error when the system can't start it */
  static async start({ command, env, cwd, onLine }: StdioCommand): Promise<StdioProcess> {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    await once(child, "spawn");
    return new StdioProcess(child, onLine);
  }

  /** The last of what it said on stderr. */
  get said(): string {
    return this.#tail.trim();
  }

  /** Resolves when the line is handed over; a program that doesn't read lets it wait. */
  async write(line: string): Promise<void> {
    const stdin = this.#child.stdin;
    if (!stdin?.writable) throw new Error("the program has ended");
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends its stdin, then TERM, then KILL, each after the grace. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#child.stdin?.end();
    const term = setTimeout(() => this.#signal("SIGTERM"), graceMs);
    const kill = setTimeout(() => this.kill(), 2 * graceMs);
    await this.ended;
    clearTimeout(term);
    clearTimeout(kill);
  }

  /** At once, with all that it has started. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, signal);
  }
}

/** Kills the group of a process that an earlier process of ours has started, if it still lives. */
export function killOrphanedProcess(identity: ProcessIdentity): boolean {
  if (!isAlive(identity)) return false;
  signalGroup(identity.pid, "SIGKILL");
  return true;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

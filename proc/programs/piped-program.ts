/** A program whose stdin and stdout are streams of bytes, in its starter's own process group: what ends that one ends it too. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export type PipedCommand = {
  command: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: NodeJS.ProcessEnv;
  cwd: string;
};

/** Characters of stderr that are kept to explain its end. */
const tailLength = 4_096;

export class PipedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #tail = "";

  private constructor(child: ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }) {
    this.#child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#tail = (this.#tail + text).slice(-tailLength);
    });
    // A program that has ended doesn't read what is still on its way to it. That is no error of ours.
    child.stdin.on("error", () => {});
    this.ended = once(child, "exit").then(() => {
      const how = child.signalCode === null ? `code ${child.exitCode}` : child.signalCode;
      return this.said === "" ? `it exited with ${how}` : `it exited with ${how}: ${this.said}`;
    });
  }

  /** @throws Error when the system can't start it */
  static async start({ command, env, cwd }: PipedCommand): Promise<PipedProgram> {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
    await once(child, "spawn");
    return new PipedProgram(child);
  }

  /** The last of what it said on stderr. */
  get said(): string {
    return this.#tail.trim();
  }

  /** Ends its stdin, then TERM, then KILL, each after the grace. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.stdin.end();
    const term = setTimeout(() => this.#child.kill("SIGTERM"), graceMs);
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), 2 * graceMs);
    await this.ended;
    clearTimeout(term);
    clearTimeout(kill);
  }
}

/** A long-lived program of ours: started with its output in a log, or found living and adopted. It leads a group of its own, and has ended when that is empty. */
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ProcessIdentity, identifyProcess, isAlive } from "../processes/identity.ts";
import { membersOf, signalGroup } from "../processes/process-group.ts";

export type ServiceCommand = {
  command: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
};

/** How a process ended. Both null: nobody saw it, as of one that is not a child of ours. */
export type ProcessEnd = { code: number | null; signal: NodeJS.Signals | null };

/**
 * Milliseconds after which a process that is not a child of ours is looked for again. Elsewhere each look is a process
 * of its own.
 */
const lookEveryMs = process.platform === "linux" ? 200 : 1000;
const groupEveryMs = 10;

export class Service {
  readonly identity: ProcessIdentity;
  /** Resolves when the process has exited, with how. Others of its group may be left. */
  readonly exited: Promise<ProcessEnd>;
  readonly #child: ChildProcess | null;
  readonly #released: AbortController;

  private constructor(
    identity: ProcessIdentity,
    exited: Promise<ProcessEnd>,
    child: ChildProcess | null,
    released = new AbortController(),
  ) {
    this.identity = identity;
    this.exited = exited;
    this.#child = child;
    this.#released = released;
  }

  /** @throws Error when the program can't be started */
  static async start({ command, env, logFile }: ServiceCommand): Promise<Service> {
    const [program = "", ...args] = command;
    using output = outputTo(logFile);
    // A group of its own: Ctrl-C at the terminal is for the supervisor alone, which stops things in order.
    const child = spawn(program, args, { env, detached: true, stdio: output.stdio });
    const exited = new Promise<ProcessEnd>((resolve) =>
      child.once("exit", (code, signal) => resolve({ code, signal })),
    );
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    const pid = child.pid ?? 0;
    return new Service(identifyProcess(pid) ?? { pid, boot: "", start: "" }, exited, child);
  }

  /** Takes up a process that somebody else started. How it ends nobody will see, only that it does. */
  static adopt(identity: ProcessIdentity): Service {
    const released = new AbortController();
    const gone = async (): Promise<ProcessEnd> => {
      while (isAlive(identity)) await delay(lookEveryMs, undefined, { signal: released.signal });
      return { code: null, signal: null };
    };
    // Let go of, its end is nobody's any more.
    const exited = gone().catch(() => new Promise<never>(() => {}));
    return new Service(identity, exited, null, released);
  }

  /** Lets go of the process, which lives on: this one may end without it. */
  release(): void {
    this.#child?.unref();
    this.#released.abort();
  }

  get isRunning(): boolean {
    return this.#child ? this.#child.exitCode === null && this.#child.signalCode === null : isAlive(this.identity);
  }

  /** To the program itself. */
  signal(signal: NodeJS.Signals): void {
    if (!this.isRunning) return;
    if (this.#child) this.#child.kill(signal);
    else process.kill(this.identity.pid, signal);
  }

  /** To all that is left of its group. A number that has no members any more may be somebody else's soon. */
  signalGroup(signal: NodeJS.Signals): void {
    if (!this.isGroupEmpty) signalGroup(this.identity.pid, signal);
  }

  get isGroupEmpty(): boolean {
    return !this.isRunning && membersOf(this.identity.pid).length === 0;
  }

  /** Resolves when nothing of it is left. */
  async emptied(): Promise<void> {
    await this.exited;
    while (!this.isGroupEmpty) await delay(groupEveryMs);
  }

  /** Sends `signal`, and KILL to what is still there after the grace. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    this.signal(signal);
    const timer = setTimeout(() => this.signalGroup("SIGKILL"), graceMs);
    await this.emptied();
    clearTimeout(timer);
  }
}

/** Where a program's words go: to the end of a file. Not to a pipe, which would die with whoever holds its other end. */
function outputTo(logFile: string): { stdio: StdioOptions } & Disposable {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = openSync(logFile, "a", 0o600);
  return { stdio: ["ignore", log, log], [Symbol.dispose]: () => closeSync(log) };
}

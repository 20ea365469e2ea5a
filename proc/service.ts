/** A long-lived program of ours: started with its output in a log file, stopped politely, then not. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Identity, identify, isAlive } from "./identity.ts";

export type ServiceCommand = {
  command: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
};

export class Service {
  readonly identity: Identity;
  /** Resolves when the process has exited, with how. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, identity: Identity, exited: Service["exited"]) {
    this.#child = child;
    this.identity = identity;
    this.exited = exited;
  }

  /** @throws Error when the program can't be started */
  static async start({ command, env, logFile }: ServiceCommand): Promise<Service> {
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    const log = openSync(logFile, "a", 0o600);
    const [program = "", ...args] = command;
    try {
      // A group of its own: Ctrl-C at the terminal is for the supervisor alone, which stops things in order.
      const child = spawn(program, args, { env, detached: true, stdio: ["ignore", log, log] });
      const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
        child.once("exit", (code, signal) => resolve({ code, signal })),
      );
      await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
      const identity = identify(child.pid ?? 0) ?? { pid: child.pid ?? 0, boot: "", start: "" };
      return new Service(child, identity, exited);
    } finally {
      closeSync(log);
    }
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends `signal`, and KILL when the process is still there after the grace. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
  }
}

/** Stops a process that somebody else started, if it is still the one that is meant. */
export async function stopByIdentity(identity: Identity, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!isAlive(identity)) return;
  process.kill(identity.pid, signal);
  for (const end = performance.now() + graceMs; isAlive(identity); await delay(20)) {
    if (performance.now() < end) continue;
    process.kill(identity.pid, "SIGKILL");
    break;
  }
  while (isAlive(identity)) await delay(10);
}

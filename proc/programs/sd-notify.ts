/**
 * Tells systemd how a service of `Type=notify` is. Node has no datagram sockets of the file system, so systemd-notify(1)
 * speaks for us: it waits until systemd has heard, and needs `NotifyAccess=all`, being a process of its own.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../os/find-program.ts";

/** systemd-notify itself gives up after 5 s. */
const withinMs = 8000;
/** Beats within the time that systemd waits for one: two may be lost. */
const beats = 3;

export class ServiceManager {
  readonly #socket: string | undefined;
  readonly #watchdogMs: number;
  readonly #onProblem: (error: Error) => void;

  private constructor(socket: string | undefined, watchdogMs: number, onProblem: (error: Error) => void) {
    this.#socket = socket;
    this.#watchdogMs = watchdogMs;
    this.#onProblem = onProblem;
  }

  /**
   * Reads what the environment says of the service manager; nothing does anything when it says nothing. The variables
   * are taken out, since they are for this process alone: what it starts would inherit them.
   * @param onProblem systemd couldn't be told; the service goes on
   */
  static fromEnvironment(env: NodeJS.ProcessEnv, onProblem: (error: Error) => void): ServiceManager {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: micros, WATCHDOG_PID: pid } = env;
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
    const isMeant = pid === undefined || Number(pid) === process.pid;
    const watchdogMs = isMeant && Number(micros) > 0 ? Number(micros) / 1000 : 0;
    return new ServiceManager(socket || undefined, watchdogMs, onProblem);
  }

  /** Whether anybody listens. */
  get isThere(): boolean {
    return this.#socket !== undefined;
  }

  /** Everything is up. */
  async notifyReady(status: string): Promise<void> {
    await this.#notify("READY=1", `STATUS=${status}`);
  }

  /** Stopping has begun and may take so long; a watchdog keeps its beat. */
  async notifyStopping(withinMs: number): Promise<void> {
    await this.#notify("STOPPING=1", `EXTEND_TIMEOUT_USEC=${Math.round(withinMs * 1000)}`);
  }

  /** Says again and again that all is well, as long as it is. When it isn't, or nobody answers, systemd starts the service anew. */
  startWatchdog(isHealthy: () => boolean | Promise<boolean>): Disposable {
    if (this.#socket === undefined || this.#watchdogMs === 0) return { [Symbol.dispose]: () => {} };
    let isBusy = false;
    const beat = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        if (await isHealthy()) await this.#notify("WATCHDOG=1");
        else this.#onProblem(new Error("not healthy: the watchdog is not told that all is well"));
      } catch (error) {
        this.#onProblem(new Error("the state of the programs is unknown", { cause: error }));
      } finally {
        isBusy = false;
      }
    };
    const timer = setInterval(() => void beat(), this.#watchdogMs / beats);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async #notify(...words: string[]): Promise<void> {
    if (this.#socket === undefined) return;
    try {
      const program = findProgram("systemd-notify", ["/usr/bin", "/bin"]);
      if (program === null)
        throw new Error("there is no systemd-notify on the PATH: install the package systemd, or use Type=simple");
      await promisify(execFile)(program, words, { env: { NOTIFY_SOCKET: this.#socket }, timeout: withinMs });
    } catch (error) {
      this.#onProblem(new Error(`systemd couldn't be told ${words.join(" ")}`, { cause: error }));
    }
  }
}

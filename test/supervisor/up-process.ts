/** `cortex up` as a real process on a temporary journal, for one test. Disposing of it fails when a process was left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { readSupervised, type ProgramStatus } from "../../journal/programs/supervised.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { attemptFolder, runFolder } from "../../journal/run-folders/run-folder.ts";
import { readRun } from "../support/read-run.ts";
import { type ProcessIdentity, isAlive } from "../../proc/processes/identity.ts";
import { agentOf } from "../../proc/runs/run.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { askUntil } from "../support/ask-until.ts";
import { fixtureAgent } from "../support/cortex-system.ts";
import { giveBusPort } from "../support/network/bus-port.ts";
import { leftOf } from "../support/journal-processes.ts";
import { patienceMs } from "../support/patience.ts";

const cortex = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));

/** The programs that `cortex up` keeps, in the order of their needs. */
export const programNames = ["nats-server", "mcp-tools", "gateway", "cortex", "agents", "schedule"];

export class UpJournal implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "cortex-up-"));
  /** Where its bus listens, as long as nobody takes that. */
  readonly busPort = giveBusPort(this.path);
  readonly #ups: Up[] = [];
  readonly #env: Record<string, string>;

  /** @param env what `cortex up` has in its environment beside the usual */
  constructor(settings: Record<string, unknown> = {}, env: Record<string, string> = {}) {
    this.#env = env;
    // The page is for tests that look at it: it would be one process more for each of the others.
    const channels = { web: { enabled: false } };
    this.configure({
      default_backend: "counter",
      backends: { counter: fixtureAgent("counter") },
      channels,
      ...settings,
      // A model that a test plays is asked what the test expects, and for no titles unless it says so.
      ...(env["ANTHROPIC_BASE_URL"] !== undefined && { agents: { titles: false, ...Object(settings["agents"]) } }),
    });
  }

  configure(settings: Record<string, unknown>): void {
    writeFileSync(join(this.path, "cortex.json"), JSON.stringify(settings));
  }

  start(...args: string[]): Up {
    const up = new Up(this.path, args, this.#env);
    this.#ups.push(up);
    return up;
  }

  async until<T>(ask: () => T, what: string, ms = patienceMs): Promise<NonNullable<Exclude<T, false>>> {
    return askUntil(ask, () => `${what}\n${this.#ups.map(({ output }) => output).join("\n")}`, ms);
  }

  /** Reads what is written down of a program. */
  program(name: string): ProgramStatus | undefined {
    return readSupervised(this.path)?.programs.find((known) => known.name === name);
  }

  /** Whether a program is ready, and its process lives. */
  isReady(name: string): boolean {
    const program = this.program(name);
    return program?.state === "ready" && program.identity !== null && isAlive(program.identity);
  }

  /** The processes of the programs. */
  pids(): Record<string, number> {
    const programs = readSupervised(this.path)?.programs ?? [];
    return Object.fromEntries(programs.map(({ name, identity }) => [name, identity?.pid ?? 0]));
  }

  /** Kills a program with -9. */
  kill(name: string): void {
    const pid = this.program(name)?.identity?.pid;
    if (pid === undefined) throw new Error(`${name} has no process`);
    process.kill(pid, "SIGKILL");
  }

  /** A connection with what `endpoints.json` says. */
  async client(): Promise<Bus> {
    const endpoints = await this.until(() => readEndpoints(this.path), "endpoints");
    const address = { url: endpoints.nats_url, user: endpoints.nats_user, password: endpoints.nats_token };
    return openBus(address, "client", patienceMs);
  }

  /** Starts a run that counts until it is told to end; resolves when it counts. */
  async count(): Promise<CountingRun> {
    const agentId = String(Date.now());
    const births = join(this.path, `births-${agentId}`);
    await using bus = await this.client();
    bus.connection.publish(
      "cortex.request",
      JSON.stringify({ ts: Number(agentId), prompt: JSON.stringify({ file: births, everyMs: 5 }) }),
    );
    await this.until(() => this.file(agentId).some(({ event }) => event === "text"), "the run counts");
    const agent = await this.until(() => agentOf(attemptFolder(this.path, agentId, 1)), "its agent");
    return { agentId, agent, births };
  }

  /** Tells a run to end, until it does; returns its events. */
  async end({ agentId }: CountingRun): Promise<AgentEvent[]> {
    await using bus = await this.client();
    await this.until(() => {
      bus.connection.publish(`cortex.input.${agentId}`, '{"text":"end"}');
      return readRun(this.path, agentId)?.isActive === false;
    }, "the run has ended");
    return this.file(agentId);
  }

  /** Whether a run's finalization is complete. */
  hasEnded(agentId: string): boolean {
    return runState(this.path, agentId) === "ended" && !existsSync(runFolder(this.path, agentId));
  }

  file(agentId: string): AgentEvent[] {
    return readRun(this.path, agentId)?.events ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const up of this.#ups) await up.stop();
    const left = await leftOf(this.path);
    rmSync(this.path, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left running: ${JSON.stringify(left)}`);
  }
}

export type CountingRun = { agentId: string; agent: ProcessIdentity; births: string };

export const lives = ({ agent }: CountingRun) => isAlive(agent);

export class Up {
  output = "";
  readonly #journal: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(journal: string, args: string[], extra: Record<string, string>) {
    const env = {
      PATH: process.env["PATH"],
      HOME: journal,
      CORTEX_TZ: "UTC",
      CORTEX_MCP_PORT: "0",
      CORTEX_WEB_PORT: "0",
      CORTEX_GATEWAY_PORT: "0",
      JOURNAL_PATH: journal,
      ...extra,
    };
    this.#journal = journal;
    this.#child = spawn(process.execPath, [cortex, "up", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.output += data.toString()));
    this.#exited = once(this.#child, "close").then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it says that it is up, and what nobody waits for is there as well. */
  async isUp(): Promise<void> {
    const isOver = this.#exited.then((code) => {
      throw new Error(`cortex up ended with ${code}:\n${this.output}`);
    });
    isOver.catch(() => {});
    const isUp = (async () => {
      while (!this.output.includes("cortex is up")) await delay(10);
      const isSettled = () =>
        readSupervised(this.#journal)?.programs.every(({ state }) => state === "ready" || state === "failed");
      for (const end = performance.now() + patienceMs; !isSettled() && performance.now() < end; ) await delay(10);
    })();
    await Promise.race([isUp, isOver]);
  }

  /** Its exit code. */
  get exited(): Promise<number | null> {
    return this.#exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#exited;
  }
}

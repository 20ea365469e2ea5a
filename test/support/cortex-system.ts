/** A real bus and a real cortex on a temporary journal, for one test. Disposing of it fails when something was left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInbox, headers } from "@nats-io/transport-node";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { addressAs, readBusAccess, writeBusAccess } from "../../journal/access/endpoints.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { runFolder } from "../../journal/run-folders/run-folder.ts";
import { activeFile, endedFile, runState } from "../../journal/runs/run-files.ts";
import { findNatsServer } from "../../proc/os/find-program.ts";
import { logOf } from "../../proc/logging/log.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { type Rejection, replyHeader, type Status } from "../../protocol/runs/subjects.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { natsProgram } from "../../supervisor/programs/nats-program.ts";
import { Supervisor } from "../../supervisor/supervisor.ts";
import { leftOf } from "./journal-processes.ts";
import { JournalClient } from "./journal-client.ts";
import { ownPort } from "./network/own-port.ts";
import { patienceMs } from "./patience.ts";

const projectFile = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A tiny program that misbehaves in one way, as a backend of that name. */
export const fixtureAgent = (name: string) => ({
  command: [process.execPath, projectFile("test/fixtures/agents/start.js"), name],
});

/** Settings with these tiny programs as backends, the first as the default one. */
export function fixtureAgents(...names: string[]): Settings {
  const backends = Object.fromEntries(names.map((name) => [name, fixtureAgent(name)]));
  return { default_backend: names[0], backends };
}

/** A clock of cortex that goes on when a test says so, at once. To be told between two starts: `env` goes to the system. */
export function movedClock(): Disposable & { env: Record<string, string>; goOn: (seconds: number) => void } {
  const folder = mkdtempSync(join(tmpdir(), "cortex-clock-"));
  const file = join(folder, "ms");
  const set = (ms: number) => writeFileSync(file, String(ms));
  set(0);
  return {
    env: { NODE_OPTIONS: `--import=${projectFile("test/support/moved-clock.ts")}`, MOVED_CLOCK: file },
    goOn: (seconds) => set(Number(readFileSync(file, "utf8")) + seconds * 1000),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type SystemOptions = {
  settings?: Settings;
  env?: Record<string, string>;
  /** Files of the journal, there before cortex starts. */
  files?: Record<string, string>;
  /** Which events on the bus are kept in `events`. Default: all. Who measures hears those that it needs by itself. */
  hears?: string;
};

export class CortexSystem extends JournalClient implements AsyncDisposable {
  /** Every event heard on the bus, in the order in which it came. */
  readonly events: AgentEvent[] = [];
  readonly rejected: Rejection[] = [];
  readonly statuses: Status[] = [];
  #nats: Supervisor;
  readonly #env: Record<string, string>;
  #cortex: ChildProcess | null = null;
  #log = "";

  private constructor(journal: string, bus: Bus, nats: Supervisor, env: Record<string, string>) {
    super(journal, bus);
    this.#nats = nats;
    this.#env = env;
  }

  static async start({
    settings = {},
    env = {},
    files = {},
    hears = "cortex.event.>",
  }: SystemOptions = {}): Promise<CortexSystem> {
    const journal = mkdtempSync(join(tmpdir(), "cortex-test-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(journal, path)), { recursive: true });
      writeFileSync(join(journal, path), text);
    }
    writeFileSync(
      join(journal, "cortex.json"),
      JSON.stringify({ max_concurrent: 8, stop_grace_seconds: 1, ...settings }),
    );
    makePrivateFolders(journal);
    await writeBusAccess(journal, { url: `nats://127.0.0.1:${await ownPort()}`, server_name: "", passwords: {} });
    const nats = supervisorOf(journal);
    await nats.start();
    const bus = await openAsClient(journal);
    const system = new CortexSystem(journal, bus, nats, env);
    bus.connection.subscribe(hears, { callback: (_, message) => void system.events.push(message.json()) });
    bus.connection.subscribe("cortex.rejected", {
      callback: (_, message) => void system.rejected.push(message.json()),
    });
    bus.connection.subscribe("cortex.status", { callback: (_, message) => void system.statuses.push(message.json()) });
    await bus.connection.flush();
    try {
      await system.startCortex();
    } catch (error) {
      await system.killCortex();
      await system[Symbol.asyncDispose]();
      throw error;
    }
    return system;
  }

  /** The log that cortex has written so far. */
  get log(): string {
    return this.#log;
  }

  /** The pid of the running cortex. */
  get pid(): number {
    return this.#cortex?.pid ?? 0;
  }

  /** How many descriptors cortex has open. */
  descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  async startCortex(): Promise<void> {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.journal,
      CORTEX_TZ: "UTC",
      ...this.#env,
      JOURNAL_PATH: this.journal,
    };
    const [program = "", ...args] = ownCommand("cortex/main");
    const child = spawn(program, args, {
      env,
      stdio: ["ignore", "inherit", "pipe"],
    });
    this.#cortex = child;
    child.stderr.on("data", (data: Buffer) => {
      this.#log += data.toString();
    });
    await this.until(async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`cortex exited with ${child.exitCode ?? child.signalCode}: ${this.#log.slice(-2000)}`);
      return (await readProgramRecord(this.journal, "cortex"))?.pid === child.pid;
    }, "cortex is ready");
  }

  /** Kills cortex with -9. Its runs go on. */
  async killCortex(): Promise<void> {
    const child = this.#cortex;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  /** Stops cortex as `cortex up` does, and resolves with its exit code. */
  async stopCortex(): Promise<number | null> {
    const child = this.#cortex;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    return exited;
  }

  /** Sends a signal to cortex. */
  signal(signal: NodeJS.Signals): void {
    this.#cortex?.kill(signal);
  }

  /** Kills nats-server with -9. The supervisor starts it again at once. */
  killBus(): void {
    this.#nats.program("nats-server").signal("SIGKILL");
  }

  /** Stops nats-server, until it is started again. */
  async stopBus(): Promise<void> {
    await this.#nats.stop(true);
    await this.until(() => !this.bus.isConnected, "the bus is away");
  }

  async startBus(): Promise<void> {
    this.#nats = supervisorOf(this.journal);
    await this.#nats.start();
    await this.until(() => this.bus.isConnected, "the bus is back");
    await this.bus.connection.flush(); // what is said from now on is heard
  }

  /** Publishes on `cortex.request` and waits for what cortex answers in the inbox. */
  async answerTo(data: unknown): Promise<Record<string, unknown>> {
    const inbox = createInbox();
    const answer = this.bus.connection.subscribe(inbox, { max: 1 });
    const head = headers();
    head.set(replyHeader, inbox);
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.bus.connection.publish("cortex.request", text, { headers: head });
    for await (const message of answer) return message.json();
    throw new Error("the connection was closed");
  }

  /** Publishes bytes on `cortex.request`. */
  publish(data: string | Uint8Array): void {
    this.bus.connection.publish("cortex.request", data);
  }

  /** The events of a run that were heard on the bus. */
  of(agentId: string): AgentEvent[] {
    return this.events.filter((event) => event.agent_id === agentId);
  }

  /** The bytes of an ended run's file. */
  bytes(agentId: string): string {
    return readFileSync(endedFile(this.journal, agentId), "utf8");
  }

  /** Waits until a run has ended and its terminal event was heard; returns what stands in its file. */
  async ended(agentId: string, ms = patienceMs): Promise<AgentEvent[]> {
    const isOver = () =>
      runState(this.journal, agentId) === "ended" &&
      !existsSync(activeFile(this.journal, agentId)) &&
      this.of(agentId).some(isTerminal);
    await this.until(isOver, `run ${agentId} has ended`, ms);
    return this.file(agentId);
  }

  /** Waits until a run has ended and its finalization is complete: its child is out, and the bus has its events. */
  async settled(agentId: string, ms = patienceMs): Promise<AgentEvent[]> {
    await this.ended(agentId, ms);
    const file = await this.closed(agentId, ms);
    const isHeard = () => this.of(agentId).some(({ seq }) => seq === file.at(-1)?.seq);
    await this.until(isHeard, `the last line of run ${agentId} is heard`, ms);
    return file;
  }

  /** The same, whoever heard of it: a listener misses what is said before it is back on the bus itself. */
  async closed(agentId: string, ms = patienceMs): Promise<AgentEvent[]> {
    const isClosed = () => runState(this.journal, agentId) === "ended" && !existsSync(runFolder(this.journal, agentId));
    await this.until(isClosed, `the finalization of run ${agentId} is complete`, ms);
    return this.file(agentId);
  }

  /** Waits for an event of a run on the bus. */
  async heard(agentId: string, name: string, ms = patienceMs): Promise<AgentEvent> {
    return this.until(() => this.of(agentId).find((event) => event.event === name), `${name} of run ${agentId}`, ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopCortex();
    await this.bus[Symbol.asyncDispose]();
    await this.#nats.stop();
    const left = await leftOf(this.journal);
    const active = readdirSync(join(this.journal, "."), { recursive: true }).filter((name) =>
      String(name).endsWith("_active.jsonl"),
    );
    if (!process.env["KEEP"]) rmSync(this.journal, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left running: ${JSON.stringify(left)}`);
    if (active.length > 0) throw new Error(`left active: ${active.join(", ")}`);
  }
}

/** A connection with a client's permissions. */
export async function openAsClient(journal: string): Promise<Bus> {
  const access = readBusAccess(journal);
  if (!access) throw new Error(`no bus for ${journal}`);
  return openBus(addressAs(access, "client"), "client", patienceMs);
}

function supervisorOf(journal: string): Supervisor {
  const binary = findNatsServer();
  if (binary === null) throw new Error("no nats-server: node scripts/start/ensure-nats.ts");
  const log = logOf("test");
  log.level = process.env["CORTEX_LOG_LEVEL"] ?? "error";
  return new Supervisor({ journal, programs: [natsProgram(journal, binary, log)], log });
}

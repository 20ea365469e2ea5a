/** Another worker on the bus of a system: a real cortex with a journal of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { readProgramRecord } from "../../../journal/programs/programs.ts";
import { readRun } from "../read-run.ts";
import { ownCommand } from "../../../proc/programs/own-command.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import type { CortexSystem } from "../cortex-system.ts";
import { leftOf } from "../journal-processes.ts";

export type Joined = {
  /** The words by which its command is run. */
  prefix: string[];
  env: NodeJS.ProcessEnv;
};

/** How a system's own cortex reaches the bus. */
export function joinedAs(system: CortexSystem): Joined {
  const access = readBusAccess(system.journal);
  const url = new URL(access?.url ?? "");
  url.username = "cortex";
  url.password = access?.passwords["cortex"] ?? "";
  return { prefix: [], env: { NATS_URL: url.href } };
}

export class Worker implements AsyncDisposable {
  readonly journal: string;
  readonly #joined: Joined;
  #cortex: ChildProcess | null = null;
  log = "";

  private constructor(journal: string, joined: Joined) {
    this.journal = journal;
    this.#joined = joined;
  }

  /** @param joined how it reaches the bus; by default as the system's own cortex does it */
  static async start(system: CortexSystem, settings: Settings, joined?: Joined): Promise<Worker> {
    const journal = mkdtempSync(join(tmpdir(), "cortex-worker-"));
    makePrivateFolders(journal);
    writeFileSync(join(journal, "cortex.json"), JSON.stringify({ stop_grace_seconds: 1, ...settings }));
    const worker = new Worker(journal, joined ?? joinedAs(system));
    await worker.start();
    return worker;
  }

  async start(): Promise<void> {
    const { prefix, env } = this.#joined;
    const [command = "", ...args] = [...prefix, ...ownCommand("cortex/main")];
    const child = spawn(command, args, {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.journal,
        CORTEX_TZ: "UTC",
        ...env,
        JOURNAL_PATH: this.journal,
      },
      stdio: ["ignore", "inherit", "pipe"],
    });
    this.#cortex = child;
    child.stderr.on("data", (data: Buffer) => {
      this.log += data.toString();
    });
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the worker ended: ${this.log}`);
      if ((await readProgramRecord(this.journal, "cortex"))?.pid === child.pid) return;
      await delay(10);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#cortex?.kill(signal);
  }

  /** Ends it, and waits until it has. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#cortex;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    child.kill("SIGCONT");
    await exited;
  }

  /** The events in a run's file, here. */
  file(agentId: string): AgentEvent[] {
    return readRun(this.journal, agentId)?.events ?? [];
  }

  /** The files that it has of runs. */
  get files(): string[] {
    return readdirSync(this.journal, { recursive: true })
      .map(String)
      .filter((name) => name.startsWith("runs/") && name.endsWith(".jsonl"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGTERM");
    const left = await leftOf(this.journal);
    rmSync(this.journal, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left running: ${JSON.stringify(left)}`);
  }
}

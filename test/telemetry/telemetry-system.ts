/** A bus, a cortex and the program `telemetry` as real processes, and a receiver that a test has. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import type { TelemetrySettings } from "../../protocol/settings/parts/telemetry-settings.ts";
import { CortexSystem, fixtureAgent } from "../support/cortex-system.ts";
import { type AnswerRule, OtlpReceiver, takes } from "../support/otlp/otlp-receiver.ts";
import { type ReadSpan, spansIn } from "../support/otlp/read-otlp.ts";

export class TelemetrySystem implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly receiver: OtlpReceiver;
  /** All that the program has logged. */
  log = "";
  #program: ChildProcess | null = null;

  private constructor(system: CortexSystem, receiver: OtlpReceiver) {
    this.system = system;
    this.receiver = receiver;
  }

  /** @param rule how the receiver answers */
  static async start(rule: AnswerRule = takes, settings: Partial<TelemetrySettings> = {}): Promise<TelemetrySystem> {
    const receiver = await OtlpReceiver.start(rule);
    const telemetry = { otlp_url: receiver.url, ...settings };
    const system = await CortexSystem.start({
      settings: { default_backend: "offline", backends: { scripted: fixtureAgent("scripted") }, telemetry },
    });
    const started = new TelemetrySystem(system, receiver);
    await started.startProgram();
    return started;
  }

  async startProgram(): Promise<void> {
    const { journal } = this.system;
    const [program = "", ...args] = ownCommand("telemetry/main");
    const env = { PATH: process.env["PATH"], HOME: journal, JOURNAL_PATH: journal };
    const child = spawn(program, args, { env, stdio: ["ignore", "inherit", "pipe"] });
    child.stderr.on("data", (bytes: Buffer) => (this.log += bytes.toString()));
    this.#program = child;
    await this.system.until(async () => {
      if (child.exitCode !== null) throw new Error(`telemetry exited: ${this.log}`);
      return (await readProgramRecord(journal, "telemetry"))?.pid === child.pid;
    }, "telemetry is ready");
  }

  /** Ends the program. */
  async stopProgram(signal: NodeJS.Signals): Promise<void> {
    const child = this.#program;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  /** Asks for runs, all at once; returns their ids. */
  ask(...prompts: string[]): string[] {
    return prompts.map((prompt) => this.system.request({ prompt, disable_mcp: true }));
  }

  /** The spans of runs that were taken, once each is there of these. */
  async spansOf(ids: readonly string[]): Promise<ReadSpan[]> {
    const { receiver } = this;
    const isThere = (id: string) => receiver.spans.some((span) => span.attributes["cortex.run.id"] === id);
    await this.until(() => ids.every(isThere), `the spans of ${ids.join(", ")}`);
    const roots = receiver.spans.filter(({ attributes }) => ids.includes(String(attributes["cortex.run.id"])));
    const traces = new Set(roots.map(({ traceId }) => traceId));
    return receiver.spans.filter(({ traceId }) => traces.has(traceId));
  }

  async until<T>(ask: () => T | Promise<T>, what: string): Promise<NonNullable<Exclude<T, false>>> {
    return this.system.until(ask, `${what}\n${this.log}`);
  }

  /** The program's document, as it stands on the disk. */
  get keptText(): string {
    const path = join(this.system.journal, ".state/telemetry.json");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopProgram("SIGKILL");
    await this.system[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
  }
}

/** The span of a run as a whole. */
export const rootOf = (spans: readonly ReadSpan[], id: string): ReadSpan | undefined =>
  spans.find(({ attributes }) => attributes["cortex.run.id"] === id);

/** The spans in the bodies that were taken, each body once: what comes again as it was isn't another. */
export function spanIdsIn({ taken }: OtlpReceiver): string[] {
  const bodies = new Map(taken.filter(({ path }) => path === "/v1/traces").map(({ text, body }) => [text, body]));
  return [...bodies.values()].flatMap(spansIn).map(({ spanId }) => spanId);
}

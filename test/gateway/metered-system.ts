/** A bus, a cortex and a gateway as real processes, an agent that calls a model, and a provider that is played. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { CallingStep } from "../fixtures/agents/calling.ts";
import { CortexSystem, fixtureAgent } from "../support/cortex-system.ts";
import { ownPort } from "../support/network/own-port.ts";
import { type HttpServer, startHttpServer } from "../support/network/http-server.ts";
import { zoneAtNoon } from "../support/zone-at-noon.ts";

export const realKey = "sk-ant-real-0123456789";

/** Tokens that each call of the played provider uses. */
export const callTokens = { input: 10, output: 40, all: 50 };

/** @field answer writes the answer to a call; default: at once, whole */
type Options = {
  settings?: Settings;
  answer?: (response: ServerResponse, number: number) => unknown;
  backend?: Record<string, unknown>;
};

export type Asked = { model: string; key: unknown };

export class MeteredSystem implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly provider: HttpServer;
  /** The calls that have reached the provider. */
  readonly asked: Asked[];
  readonly #env: Record<string, string>;
  #gateway: ChildProcess | null = null;

  private constructor(system: CortexSystem, provider: HttpServer, asked: Asked[], env: Record<string, string>) {
    this.system = system;
    this.provider = provider;
    this.asked = asked;
    this.#env = env;
  }

  static async start({ settings = {}, backend = {}, answer = answerWhole }: Options = {}): Promise<MeteredSystem> {
    const asked: Asked[] = [];
    const provider = await startHttpServer(async (request, response) => {
      const body = JSON.parse(await text(request)) as { model: string };
      asked.push({ model: body.model, key: request.headers["x-api-key"] });
      await answer(response, asked.length);
    });
    const env = {
      ANTHROPIC_API_KEY: realKey,
      ANTHROPIC_BASE_URL: provider.url,
      // The same at each start, and nobody else's.
      CORTEX_GATEWAY_PORT: String(await ownPort()),
      CORTEX_TZ: zoneAtNoon(),
    };
    const calling = { ...fixtureAgent("calling"), ...backend };
    const system = await CortexSystem.start({
      settings: { default_backend: "calling", backends: { calling }, ...settings },
      env,
    });
    const metered = new MeteredSystem(system, provider, asked, env);
    await metered.startGateway();
    return metered;
  }

  async startGateway(): Promise<void> {
    const { journal } = this.system;
    const [program = "", ...args] = ownCommand("gateway/main");
    const env = { PATH: process.env["PATH"], HOME: journal, ...this.#env };
    const child = spawn(program, args, {
      env: { ...env, JOURNAL_PATH: journal },
      stdio: ["ignore", "inherit", "pipe"],
    });
    let log = "";
    child.stderr.on("data", (bytes: Buffer) => (log += bytes.toString()));
    this.#gateway = child;
    await this.system.until(async () => {
      if (child.exitCode !== null) throw new Error(`the gateway exited: ${log}`);
      return (await readProgramRecord(journal, "gateway"))?.pid === child.pid;
    }, "the gateway is ready");
  }

  /** Ends the gateway. */
  async stopGateway(signal: NodeJS.Signals): Promise<void> {
    const child = this.#gateway;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  run(steps: CallingStep[], fields: Record<string, unknown> = {}): string {
    return this.system.request({ backend: "calling", ...fields, prompt: JSON.stringify(steps) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopGateway("SIGTERM");
    await this.system[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}

export function answerWhole(response: ServerResponse): void {
  const usage = { input_tokens: callTokens.input, output_tokens: callTokens.output };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "message", content: [], usage }));
}

export type CallAnswer = { status: number; body: { type?: string; error?: { type: string; message: string } } };

/** The answers to the agent's calls, in the order in which it heard of them. */
export const answersIn = (events: readonly AgentEvent[]): CallAnswer[] =>
  events.filter(({ event }) => event === "text").map(({ text: said }) => JSON.parse(String(said)) as CallAnswer);

export const statusesIn = (events: readonly AgentEvent[]): number[] => answersIn(events).map(({ status }) => status);

/** The usage that counts. */
export const usageIn = (events: readonly AgentEvent[]): AgentEvent[] =>
  events.filter(({ event, repeated }) => event === "usage" && repeated !== true);

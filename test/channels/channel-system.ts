/** A real bus, programs of adapters on it, and the agents' service played by what it hears and says, for one test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openChannelGate } from "../../bus/agents/channel-gate.ts";
import { ensureChannelStreams, publishOutbound } from "../../bus/agents/channels.ts";
import { type Inbound, inboundStream, sharedInboundStream, storedInbound } from "../../bus/agents/inbound.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { type AgentsSettings, channelTypes } from "../../protocol/agents/agents-settings.ts";
import type { InboundMessage, OutboundMessage, PermissionDecision, Receipt } from "../../protocol/agents/channel.ts";
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";
import { BusServer } from "../bus/bus-server.ts";
import { patienceMs } from "../support/patience.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

export const secret = "a-secret-of-the-tests";
export const secretFile = "secret";

export class ChannelSystem implements AsyncDisposable {
  readonly server: BusServer;
  /** All that came for agents, in its order. */
  readonly heard: Inbound[] = [];
  readonly #listening: AbortController = new AbortController();
  readonly #programs: AdapterProgram[] = [];
  #hearing: Promise<unknown> = Promise.resolve();

  private constructor(server: BusServer) {
    this.server = server;
  }

  /** The settings of a webhook may leave out its secret: it stands in a file. */
  static async start(channels: Record<string, ChannelSettings>): Promise<ChannelSystem> {
    const system = new ChannelSystem(await BusServer.start(undefined, { channels }));
    writeFileSync(join(system.journal, secretFile), `${secret}\n`, { mode: 0o600 });
    const agents = await system.server.as("agents");
    await ensureChannelStreams(agents, channelTypes(channels));
    openChannelGate(agents, () => {});
    await agents.connection.flush();
    const streams = [sharedInboundStream, ...channelTypes(channels).map(inboundStream)];
    system.#hearing = Promise.all(streams.map((stream) => system.#hear(stream)));
    return system;
  }

  get journal(): string {
    return this.server.journal;
  }

  /** Nobody takes what comes for agents any more. */
  async stopHearing(): Promise<void> {
    this.#listening.abort();
    await this.#hearing;
  }

  configure(channels: Record<string, ChannelSettings>, agents?: AgentsSettings): void {
    writeFileSync(join(this.journal, "cortex.json"), JSON.stringify({ channels, agents }));
  }

  /** An agent says something. */
  async say(message: OutboundMessage): Promise<void> {
    await publishOutbound(await this.server.as("agents"), message);
  }

  get messages(): InboundMessage[] {
    return this.heard.flatMap((inbound) => (inbound.kind === "message" ? [inbound.message] : []));
  }

  get decisions(): { token: string; decision: PermissionDecision }[] {
    return this.heard.flatMap((inbound) => (inbound.kind === "decision" ? [inbound] : []));
  }

  /** Lists the receipts of an outbound message: one, or none yet. */
  receipts(id: string): Receipt[] {
    return this.heard.flatMap((inbound) => (inbound.kind === "receipt" && inbound.id === id ? [inbound.receipt] : []));
  }

  async receipt(id: string): Promise<Receipt> {
    return this.until(() => this.receipts(id)[0], `a receipt of ${id}`);
  }

  async until<T>(ask: () => T, what: string, ms = patienceMs): Promise<NonNullable<Exclude<T, false>>> {
    for (const end = performance.now() + ms; ; await delay(10)) {
      const answer = ask();
      if (answer) return answer as NonNullable<Exclude<T, false>>;
      if (performance.now() > end)
        throw new Error(
          `not within ${ms} ms: ${what}\nheard: ${JSON.stringify(this.heard)}\n${this.#programs.map(({ log }) => log).join("\n")}`,
        );
    }
  }

  /** Starts the program of an adapter. */
  start(type: string, env: Record<string, string> = {}): AdapterProgram {
    const command = [path("bin/start.js"), "channels/main", type];
    return this.#start(type, command, env);
  }

  /** Starts an adapter that isn't ours, from test/fixtures/channels. */
  startFixture(type: string, fixture: string): AdapterProgram {
    return this.#start(type, [path(`test/fixtures/channels/${fixture}.ts`), type], {});
  }

  #start(type: string, args: string[], env: Record<string, string>): AdapterProgram {
    const program = new AdapterProgram(this.journal, type, args, env);
    this.#programs.push(program);
    return program;
  }

  async #hear(stream: string): Promise<void> {
    const agents = await this.server.as("agents");
    let last = 0;
    for await (const { inbound, ack, streamSeq } of storedInbound(agents, stream, this.#listening.signal)) {
      if (streamSeq > last) this.heard.push(inbound);
      last = Math.max(last, streamSeq);
      await ack().catch(() => {}); // the bus is away: it comes again, and is acknowledged then
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) await program.kill();
    this.#listening.abort();
    await this.#hearing;
    await this.server[Symbol.asyncDispose]();
  }
}

export class AdapterProgram {
  log = "";
  readonly #journal: string;
  readonly #type: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(journal: string, type: string, args: string[], env: Record<string, string>) {
    this.#journal = journal;
    this.#type = type;
    this.#child = spawn(process.execPath, args, {
      env: { PATH: process.env["PATH"], HOME: journal, JOURNAL_PATH: journal, CORTEX_WEB_PORT: "0", ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.log += text));
    this.#exited = once(this.#child, "close").then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it takes messages in, with where it listens. */
  async isReady(): Promise<string> {
    for (const end = performance.now() + patienceMs; performance.now() < end; await delay(10)) {
      const record = await readProgramRecord(this.#journal, `channel-${this.#type}`);
      if (record?.pid === this.pid) return record.url ?? "";
      if (this.hasEnded) break;
    }
    throw new Error(`the adapter ${this.#type} isn't ready: ${this.log}`);
  }

  get exited(): Promise<number | null> {
    return this.#exited;
  }

  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#exited;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}

export const outbound = (id: string, type: string, text = `text of ${id}`): OutboundMessage => ({
  id,
  text,
  channel: { type, channelId: "main" },
});

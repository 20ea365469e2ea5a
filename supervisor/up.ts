/** `cortex up`: the supervisor of a journal with its programs, its news on the bus, and the endpoints that it leaves in `.run/`. */
import type { BusAddress } from "../bus/connection/connect.ts";
import { SupervisorNews } from "../bus/server/supervisor-news.ts";
import { addressAs, type Endpoints, readBusAccess } from "../journal/access/endpoints.ts";
import type { JournalLock } from "../journal/access/lock.ts";
import type { ProgramStatus } from "../journal/programs/supervised.ts";
import { warmFolder } from "../journal/runs/run-folder.ts";
import { commandsToken } from "../journal/access/tokens.ts";
import { endAllWarm, warmEndsWithinMs } from "../proc/runs/end-warm.ts";
import type { Environment } from "../proc/programs/environment.ts";
import type { Logger } from "../proc/logging/log.ts";
import { adapterProgram } from "../protocol/agents/channel-settings.ts";
import type { SupervisorEvent } from "../protocol/programs/supervisor-event.ts";
import { NatsLog } from "./programs/nats-log.ts";
import { EndpointsFile, endpointsNow, type EndpointsParts } from "./endpoints.ts";
import { programsOf } from "./programs/programs.ts";
import { Supervisor } from "./supervisor.ts";

/** Whose address stands among the endpoints. */
const withEndpoints = ["nats-server", "mcp-tools", adapterProgram("web")];

/** Those of them without which nothing works. */
const alwaysThere = new Set(["nats-server", "mcp-tools"]);

/** What shows how a program's start went. */
const startTold: ReadonlySet<SupervisorEvent["event"]> = new Set(["ready", "backing_off", "failed"]);

export type SystemParts = {
  env: Environment;
  /** The nats-server to start; null with `NATS_URL`. */
  natsServer: string | null;
  /** Whether it takes part in another host's bus. */
  isWorker: boolean;
  /** The environment of the programs. */
  processEnv: NodeJS.ProcessEnv;
  lock: JournalLock;
  log: Logger;
  /** Hears what becomes of the programs. */
  onEvent: (event: SupervisorEvent) => void;
};

export class System {
  readonly #parts: SystemParts;
  readonly #supervisor: Supervisor;
  readonly #news: SupervisorNews;
  readonly #endpoints: EndpointsFile;
  readonly #natsLog: NatsLog | null;
  /** Whose first start isn't over: whoever finds the endpoints finds the bus's and the tools' both. */
  readonly #awaited: Set<string>;

  constructor(parts: SystemParts) {
    const { env, natsServer, isWorker, processEnv, log } = parts;
    const journal = env.journalPath;
    this.#parts = parts;
    this.#news = new SupervisorNews(() => (isWorker ? null : busAddress(env)));
    this.#endpoints = new EndpointsFile(this.#endpointsParts);
    this.#natsLog = natsServer === null ? null : new NatsLog(journal);
    const programs = programsOf({ journal, natsServer, isWorker, env: processEnv, log });
    this.#awaited = new Set(programs.map(({ name }) => name).filter((name) => alwaysThere.has(name)));
    this.#supervisor = new Supervisor({ journal, programs, log, onEvent: (event) => this.#onEvent(event) });
  }

  /**
   * Takes up what lives of an earlier one, and brings up the rest. Resolves when each program is ready, or has failed; or
   * with false, when it was stopped before that.
   * @param isReplacing our own programs are started anew, since they may be of another version; the bus goes on
   */
  async start(isReplacing: boolean): Promise<boolean> {
    await commandsToken(this.#parts.env.journalPath);
    const why = "makes way for the one of another cortex up";
    const isUp = await this.#supervisor.start(({ name }) => (isReplacing && name !== "nats-server" ? why : null));
    await this.#endpoints.settled();
    return isUp;
  }

  /** Where everything listens, as it is written down by now. */
  async endpoints(): Promise<Endpoints> {
    await this.#endpoints.settled();
    return endpointsNow(this.#endpointsParts);
  }

  get #endpointsParts(): EndpointsParts {
    const { journalPath: journal, natsUrl } = this.#parts.env;
    return { journal, natsUrl, webPid: () => this.#supervisor.find(adapterProgram("web"))?.identity?.pid };
  }

  /** How the programs are. */
  get programs(): ProgramStatus[] {
    return this.#supervisor.programs;
  }

  get isWorker(): boolean {
    return this.#parts.isWorker;
  }

  /** How long a stop may take. */
  get stopsWithinMs(): number {
    return this.#supervisor.stopsWithinMs + warmEndsWithinMs;
  }

  /** Stops everything, in reverse. Runs may finish first; what is stopped is taken up at the next start. */
  async stop(): Promise<void> {
    // From the last to the first, each also when another has failed: on a disk that takes nothing, all is stopped.
    await using steps = new AsyncDisposableStack();
    steps.defer(() => this.#close());
    // Cortex has ended them, unless it was killed, or told to stop before it knew what the one before it had left.
    steps.defer(() => endAllWarm(warmFolder(this.#parts.env.journalPath)));
    steps.defer(() => this.#supervisor.stop());
    steps.defer(() => this.#endpoints.remove());
  }

  /** Stops what a supervisor has left that was killed. */
  async stopFound(): Promise<void> {
    await using steps = new AsyncDisposableStack();
    steps.defer(() => this.stop());
    steps.defer(() => this.#supervisor.stopFound());
  }

  /** Doesn't wait for runs any longer. */
  force(): void {
    this.#supervisor.force();
  }

  /** Makes way for another supervisor, which takes up everything that runs. */
  async handOver(): Promise<void> {
    await this.#supervisor.release();
    await this.#endpoints.settled();
    await this.#close();
  }

  /** Everything reads its settings again. */
  reread(): void {
    this.#supervisor.reread();
  }

  async #close(): Promise<void> {
    await this.#news[Symbol.asyncDispose]();
    this.#natsLog?.[Symbol.dispose]();
    this.#parts.lock[Symbol.dispose]();
  }

  #onEvent(event: SupervisorEvent): void {
    this.#news.tell(event);
    this.#parts.onEvent(event);
    const wasAwaited = startTold.has(event.event) && this.#awaited.delete(event.program);
    const isChanged = event.event === "ready" && withEndpoints.includes(event.program);
    if ((wasAwaited || isChanged) && this.#awaited.size === 0)
      this.#endpoints
        .write()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, "endpoints.json couldn't be written"));
  }
}

function busAddress({ journalPath, natsUrl, natsFiles }: Environment): BusAddress | null {
  if (natsUrl !== undefined) return { url: natsUrl, ...natsFiles };
  const access = readBusAccess(journalPath);
  return access && addressAs(access, "supervisor");
}

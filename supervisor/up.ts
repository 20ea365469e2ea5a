/** `cortex up`: the supervisor of a journal with its programs, its news on the bus, and the endpoints that it leaves in `.run/`. */
import type { BusAddress } from "../bus/connection/connect.ts";
import { SupervisorNews } from "../bus/server/supervisor-news.ts";
import { addressAs, type Endpoints, readBusAccess } from "../journal/access/endpoints.ts";
import type { JournalLock } from "../journal/access/lock.ts";
import type { ProgramStatus } from "../journal/programs/supervised.ts";
import { warmFolder } from "../journal/run-folders/run-folder.ts";
import { commandsToken } from "../journal/access/tokens.ts";
import { endAllWarm, warmEndsWithinMs } from "../proc/runs/end-warm.ts";
import type { Environment } from "../proc/programs/environment.ts";
import type { Logger } from "../proc/logging/log.ts";
import { adapterProgram } from "../protocol/agents/channel-settings.ts";
import type { SupervisorEvent } from "../protocol/programs/supervisor-event.ts";
import { NatsLog } from "./programs/nats-log.ts";
import { EndpointsFile, endpointsNow, type EndpointsDeps } from "./endpoints.ts";
import { programsOf } from "./programs/programs.ts";
import { Supervisor } from "./supervisor.ts";

/** The programs whose address is an endpoint. */
const withEndpoints = ["nats-server", "mcp-tools", "gateway", adapterProgram("web")];

/** The programs for whose first start the endpoints wait. */
const alwaysThere = new Set(["nats-server", "mcp-tools"]);

/** The events that tell how a program's start went. */
const startTold: ReadonlySet<SupervisorEvent["event"]> = new Set(["ready", "backing_off", "failed"]);

export type SystemDeps = {
  env: Environment;
  /** The nats-server to start; null with `NATS_URL`. */
  natsServer: string | null;
  /** Whether it takes part in another host's bus. */
  isWorker: boolean;
  /** The environment of the programs. */
  processEnv: NodeJS.ProcessEnv;
  lock: JournalLock;
  log: Logger;
  /** Called on each change of a program. */
  onEvent: (event: SupervisorEvent) => void;
};

export class System {
  readonly #deps: SystemDeps;
  readonly #supervisor: Supervisor;
  readonly #news: SupervisorNews;
  readonly #endpoints: EndpointsFile;
  readonly #natsLog: NatsLog | null;
  /** Programs whose first start isn't over: the endpoints are written with the bus's and the tools' address both. */
  readonly #awaited: Set<string>;

  constructor(deps: SystemDeps) {
    const { env, natsServer, isWorker, processEnv, log } = deps;
    const journal = env.journalPath;
    this.#deps = deps;
    this.#news = new SupervisorNews(() => (isWorker ? null : busAddress(env)));
    this.#endpoints = new EndpointsFile(this.#endpointsDeps);
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
    await commandsToken(this.#deps.env.journalPath);
    const why = "makes way for the one of another cortex up";
    const isUp = await this.#supervisor.start(({ name }) => (isReplacing && name !== "nats-server" ? why : null));
    await this.#endpoints.idle();
    return isUp;
  }

  /** The endpoints, once they are written. */
  async endpoints(): Promise<Endpoints> {
    await this.#endpoints.idle();
    return endpointsNow(this.#endpointsDeps);
  }

  get #endpointsDeps(): EndpointsDeps {
    const { journalPath: journal, natsUrl } = this.#deps.env;
    return { journal, natsUrl, webPid: () => this.#supervisor.find(adapterProgram("web"))?.identity?.pid };
  }

  /** The status of each program. */
  get programs(): ProgramStatus[] {
    return this.#supervisor.programs;
  }

  get isWorker(): boolean {
    return this.#deps.isWorker;
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
    steps.defer(() => endAllWarm(warmFolder(this.#deps.env.journalPath)));
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
    await this.#endpoints.idle();
    await this.#close();
  }

  /** Everything reads its settings again. */
  reread(): void {
    this.#supervisor.reread();
  }

  async #close(): Promise<void> {
    await this.#news[Symbol.asyncDispose]();
    this.#natsLog?.[Symbol.dispose]();
    this.#deps.lock[Symbol.dispose]();
  }

  #onEvent(event: SupervisorEvent): void {
    this.#news.publish(event);
    this.#deps.onEvent(event);
    const wasAwaited = startTold.has(event.event) && this.#awaited.delete(event.program);
    const isChanged = event.event === "ready" && withEndpoints.includes(event.program);
    if ((wasAwaited || isChanged) && this.#awaited.size === 0)
      this.#endpoints
        .write()
        .catch((error: unknown) => this.#deps.log.warn({ err: error }, "endpoints.json couldn't be written"));
  }
}

function busAddress({ journalPath, natsUrl, natsFiles }: Environment): BusAddress | null {
  if (natsUrl !== undefined) return { url: natsUrl, ...natsFiles };
  const access = readBusAccess(journalPath);
  return access && addressAs(access, "supervisor");
}

/** `cortex up`: starts the bus, the tools and cortex in the order of their needs, keeps them running, stops them in reverse. */
import { commandsToken } from "../journal/tokens.ts";
import { type Endpoints, readBusAccess, removeEndpoints, writeEndpoints } from "../journal/endpoints.ts";
import { JournalLock } from "../journal/lock.ts";
import { makePrivateFolders, runtime } from "../journal/paths.ts";
import { readProgramRecord } from "../journal/programs.ts";
import { readSettings } from "../journal/settings.ts";
import { readSupervised, writeSupervised } from "../journal/supervised.ts";
import type { Environment } from "../proc/environment.ts";
import type { Logger } from "../proc/log.ts";
import { stopByIdentity } from "../proc/service.ts";
import { Keeper } from "./keeper.ts";
import { natsProgram } from "./nats-program.ts";
import { ownProgram } from "./own-program.ts";
import type { Program } from "./program.ts";

/** What cortex needs to stop its runs, beyond the grace that it gives them: cancel, TERM, KILL. */
const stopRunsMs = 20_000;
/** From the contract. */
const stopGraceSeconds = 30;

export class System {
  readonly endpoints: Endpoints;
  readonly #journal: string;
  readonly #keepers: Keeper[];
  readonly #lock: JournalLock;

  private constructor(journal: string, keepers: Keeper[], endpoints: Endpoints, lock: JournalLock) {
    this.#journal = journal;
    this.#keepers = keepers;
    this.endpoints = endpoints;
    this.#lock = lock;
  }

  /**
   * Brings everything up.
   * @param natsServer the nats-server to start; not needed with `NATS_URL`
   * @throws Error when a program doesn't become ready; what had been started is stopped then
   */
  static async start(env: Environment, natsServer: string | null, lock: JournalLock, log: Logger): Promise<System> {
    const journal = env.journalPath;
    makePrivateFolders(journal);
    await stopLeftovers(journal, log);
    await commandsToken(journal);
    const keepers: Keeper[] = [];
    const tell = tellerOf(journal, keepers, log);
    const programs = programsOf(env, natsServer);
    for (const program of programs)
      keepers.push(new Keeper(program, runtime(journal, "logs", `${program.name}.log`), log, tell));
    try {
      // The bus first: the others need it.
      const isBus = (keeper: Keeper) => keeper.program.name === "nats-server";
      for (const keeper of keepers.filter(isBus)) await keeper.start();
      await Promise.all(keepers.filter((keeper) => !isBus(keeper)).map((keeper) => keeper.start()));
      const endpoints = await endpointsOf(env);
      await writeEndpoints(journal, endpoints);
      return new System(journal, keepers, endpoints, lock);
    } catch (error) {
      for (const keeper of keepers.toReversed()) await keeper.stop("SIGKILL");
      throw error;
    }
  }

  /** Stops everything, in reverse. Runs may finish first; what is stopped is taken up at the next start. */
  async stop(): Promise<void> {
    removeEndpoints(this.#journal);
    for (const keeper of this.#keepers.toReversed()) await keeper.stop();
    this.#lock[Symbol.dispose]();
  }

  /** Makes way for another supervisor: runs go on, and its cortex adopts them. */
  async handOver(): Promise<void> {
    removeEndpoints(this.#journal);
    for (const keeper of this.#keepers.toReversed())
      await keeper.stop(keeper.program.name === "cortex" ? "SIGKILL" : keeper.program.stopSignal);
    this.#lock[Symbol.dispose]();
  }

  /** Doesn't wait for runs any longer. */
  force(): void {
    for (const keeper of this.#keepers) if (keeper.program.name === "cortex") keeper.signal("SIGTERM");
  }
}

function programsOf(env: Environment, natsServer: string | null): Program[] {
  const journal = env.journalPath;
  const { settings } = readSettings(journal);
  const graceMs = (settings.stop_grace_seconds ?? stopGraceSeconds) * 1000 + stopRunsMs;
  const own = [
    ownProgram(journal, "mcp-tools", "mcp-tools/main", process.env, 5000),
    ownProgram(journal, "cortex", "cortex/main", process.env, graceMs),
  ];
  return natsServer === null ? own : [natsProgram(journal, natsServer), ...own];
}

async function endpointsOf(env: Environment): Promise<Endpoints> {
  const journal = env.journalPath;
  const access = env.natsUrl === undefined ? readBusAccess(journal) : null;
  const tools = await readProgramRecord(journal, "mcp-tools");
  return {
    ...(access
      ? { nats_url: access.url, nats_user: "client", nats_token: access.passwords["client"] ?? "" }
      : foreignBus(env.natsUrl ?? "")),
    ...(tools?.url === undefined ? {} : { mcp_url: tools.url }),
    pid: process.pid,
  };
}

/** The user's own bus, its credentials apart from its address. A name alone is a token. */
function foreignBus(natsUrl: string): Pick<Endpoints, "nats_url" | "nats_user" | "nats_token"> {
  const url = new URL(natsUrl.includes("://") ? natsUrl : `nats://${natsUrl}`);
  const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const nats_url = `${url.protocol}//${url.host}`;
  return password ? { nats_url, nats_user: name, nats_token: password } : { nats_url, nats_user: "", nats_token: name };
}

/** Writes down each change; changes that come while one is being written are one more write. */
function tellerOf(journal: string, keepers: Keeper[], log: Logger): () => void {
  let isDue = false;
  let writing = Promise.resolve();
  return () => {
    if (isDue) return;
    isDue = true;
    writing = writing.then(async () => {
      isDue = false;
      const programs = keepers.map((keeper) => keeper.state);
      await writeSupervised(journal, { pid: process.pid, programs }).catch((error: unknown) =>
        log.warn({ err: error }, "supervisor.json couldn't be written"),
      );
    });
  };
}

/** A supervisor that was killed left its programs. They are stopped, cortex without its runs: those are adopted. */
async function stopLeftovers(journal: string, log: Logger): Promise<void> {
  for (const { name, identity } of readSupervised(journal)?.programs.toReversed() ?? []) {
    if (!identity) continue;
    log.debug({ program: name, pid: identity.pid }, "looking for a leftover");
    await stopByIdentity(identity, name === "cortex" ? "SIGKILL" : "SIGTERM", 5000);
  }
}

/** A real nats-server with our configuration on a free port, for one test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Bus, openBus } from "../../bus/connect.ts";
import type { BusUser } from "../../bus/server-config.ts";
import { ensureStreams } from "../../bus/streams.ts";
import { readBusAccess } from "../../journal/endpoints.ts";
import { makePrivateFolders, runtime } from "../../journal/paths.ts";
import { findNatsServer } from "../../proc/find-program.ts";
import { logOf } from "../../proc/log.ts";
import { Keeper } from "../../supervisor/keeper.ts";
import { natsProgram } from "../../supervisor/nats-program.ts";

export class BusServer implements AsyncDisposable {
  readonly journal: string;
  readonly #keeper: Keeper;
  readonly #connections: Bus[] = [];

  private constructor(journal: string, keeper: Keeper) {
    this.journal = journal;
    this.#keeper = keeper;
  }

  static async start(): Promise<BusServer> {
    const journal = mkdtempSync(join(tmpdir(), "cortex-bus-"));
    makePrivateFolders(journal);
    const binary = findNatsServer();
    if (binary === null) throw new Error("no nats-server: node scripts/ensure-nats.ts");
    const log = logOf("test");
    log.level = "silent";
    const keeper = new Keeper(natsProgram(journal, binary), runtime(journal, "logs", "nats.log"), log, () => {});
    await keeper.start();
    const server = new BusServer(journal, keeper);
    await ensureStreams(await server.as("cortex"));
    return server;
  }

  /** A connection of one of the bus's users. */
  async as(user: BusUser): Promise<Bus> {
    const { url, passwords } = this.#access;
    const bus = await openBus({ url, user, password: passwords[user] }, user);
    this.#connections.push(bus);
    return bus;
  }

  get #access() {
    const access = readBusAccess(this.journal);
    if (!access) throw new Error("the server's users aren't known");
    return access;
  }

  get url(): string {
    return this.#access.url;
  }

  /** Kills the server with -9, and waits until another has taken its place and a connection has noticed both. */
  async killAndRestart(bus: Bus): Promise<void> {
    const isBack = new Promise<void>((resolve) => bus.onReconnect(resolve));
    this.#keeper.signal("SIGKILL");
    await isBack;
    while (this.#keeper.state.state !== "ready") await delay(5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const bus of this.#connections) await bus[Symbol.asyncDispose]();
    await this.#keeper.stop();
    rmSync(this.journal, { recursive: true, force: true });
  }
}

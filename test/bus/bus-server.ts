/** A real nats-server with our configuration on a free port, for one test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import type { BusUser } from "../../bus/server/server-config.ts";
import { ensureStreams } from "../../bus/jetstream/streams.ts";
import { addressAs, readBusAccess, writeBusAccess } from "../../journal/access/endpoints.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { findNatsServer } from "../../proc/os/find-program.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { natsProgram } from "../../supervisor/programs/nats-program.ts";
import { Supervisor } from "../../supervisor/supervisor.ts";
import { ownPort } from "../support/network/own-port.ts";
import { patienceMs } from "../support/patience.ts";

export class BusServer implements AsyncDisposable {
  readonly journal: string;
  readonly #supervisor: Supervisor;
  readonly #connections: Bus[] = [];

  private constructor(journal: string, supervisor: Supervisor) {
    this.journal = journal;
    this.#supervisor = supervisor;
  }

  /**
   * @param offered how it is offered to other hosts, for a journal
   * @param settings the others
   */
  static async start(
    offered?: (journal: string) => Settings["bus"] | Promise<Settings["bus"]>,
    settings: Settings = {},
  ): Promise<BusServer> {
    const journal = mkdtempSync(join(tmpdir(), "cortex-bus-"));
    makePrivateFolders(journal);
    await writeBusAccess(journal, { url: `nats://127.0.0.1:${await ownPort()}`, server_name: "", passwords: {} });
    const bus = await offered?.(journal);
    writeFileSync(join(journal, "cortex.json"), JSON.stringify({ ...settings, ...(bus ? { bus } : {}) }));
    const binary = findNatsServer();
    if (binary === null) throw new Error("no nats-server: node scripts/start/ensure-nats.ts");
    const log = logOf("test");
    log.level = "silent";
    const supervisor = new Supervisor({ journal, programs: [natsProgram(journal, binary, log)], log });
    await supervisor.start();
    const server = new BusServer(journal, supervisor);
    await ensureStreams(await server.as("cortex"));
    return server;
  }

  /** A connection of one of the bus's users. */
  async as(user: BusUser): Promise<Bus> {
    const bus = await openBus(addressAs(this.#access, user), user, patienceMs);
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
    const server = this.#supervisor.program("nats-server");
    server.signal("SIGKILL");
    await isBack;
    while (server.state !== "ready") await delay(5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const bus of this.#connections) await bus[Symbol.asyncDispose]();
    await this.#supervisor.stop();
    rmSync(this.journal, { recursive: true, force: true });
  }
}

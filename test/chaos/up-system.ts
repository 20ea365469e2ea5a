/** A whole `cortex up`: what is killed comes back by itself, and the supervisor is started again by the test. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Bus } from "../../bus/connection/connect.ts";
import { writeBusAccess } from "../../journal/access/endpoints.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { programNames, UpJournal } from "../supervisor/up-process.ts";
import { fixtureAgents, openAsClient } from "../support/cortex-system.ts";
import { JournalClient } from "../support/journal-client.ts";
import { hasEnded, textOf } from "../support/journal-processes.ts";
import { ownPort } from "../support/network/own-port.ts";
import { type ChaosSystem, chaosSettings, keptPid, keptPids, readyMs } from "./chaos-system.ts";
import { StopPoint } from "./stop-point.ts";

export async function startUpSystem(): Promise<ChaosSystem> {
  const stop = new StopPoint();
  const journal = new UpJournal({ ...fixtureAgents("scripted"), ...chaosSettings }, stop.env);
  makePrivateFolders(journal.path);
  await writeBusAccess(journal.path, { url: `nats://127.0.0.1:${await ownPort()}`, server_name: "", passwords: {} });
  let up = journal.start();
  await up.isUp();
  const client = new UpClient(journal.path, await openAsClient(journal.path));
  return {
    client,
    stop,
    pidOf: (program) => (program === "supervisor" ? up.pid : keptPid(journal.path, program)),
    pids: () => [up.pid, ...keptPids(journal.path)],
    async restart() {
      if (hasEnded(up.pid)) {
        up = journal.start();
        await up.isUp();
      }
      const isReady = () => client.bus.isConnected && programNames.every((name) => journal.isReady(name));
      await client.until(isReady, "all programs are ready", readyMs);
    },
    async [Symbol.asyncDispose]() {
      stop[Symbol.dispose]();
      await client.bus[Symbol.asyncDispose]();
      await journal[Symbol.asyncDispose]();
    },
  };
}

class UpClient extends JournalClient {
  constructor(journal: string, bus: Bus) {
    super(journal, bus);
  }

  get log(): string {
    const folder = join(this.journal, ".run/logs");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.map((name) => `--- ${name}\n${textOf(join(folder, name))}`).join("\n");
  }
}

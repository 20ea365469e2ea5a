/** Three servers that are one bus, and two workers on it: each its own processes and its own folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openBus } from "../../bus/connection/connect.ts";
import { type BusUser, busUsers, serverConfig } from "../../bus/server/server-config.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { freePort } from "../../proc/os/free-port.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** Milliseconds that everything may take to be there: a cluster has to choose its leaders first. */
const readyMs = 60_000;

/**
 * The settings of a worker whose folder has none: everything is kept three times, and each has the files of the other's
 * runs.
 */
const settings: Settings = { default_backend: "offline", bus: { replicas: 3, mirror: true } };

export type Member = { name: string; folder: string; process: ChildProcess };
export type Cluster = AsyncDisposable & {
  servers: Member[];
  workers: Member[];
  /** For clients: the addresses of all servers, with the password. */
  url: string;
};

/**
 * Starts everything in a folder, which keeps it all.
 * @param binary the nats-server
 */
export async function startCluster(folder: string, binary: string): Promise<Cluster> {
  const servers: Member[] = [];
  const workers: Member[] = [];
  const stop = async () => {
    await Promise.all(workers.map((worker) => end(worker, "SIGTERM")));
    await Promise.all(servers.map((server) => end(server, "SIGINT")));
  };
  try {
    const passwords = Object.fromEntries(busUsers([]).map((user) => [user, secret()]));
    const ports = await freePorts(6);
    const [clientPorts, routePorts] = [ports.slice(0, 3), ports.slice(3)];
    const routePassword = secret();
    const routes = routePorts.map((port) => `nats://cluster:${routePassword}@127.0.0.1:${port}`);
    for (const [index, name] of ["first", "second", "third"].entries()) {
      const own = join(folder, name);
      mkdirSync(own, { recursive: true, mode: 0o700 });
      const config = serverConfig({
        name,
        port: clientPorts[index] ?? 0,
        storeFolder: join(own, "jetstream"),
        pidFile: join(own, "nats.pid"),
        passwords,
      });
      const authorization = { user: "cluster", password: routePassword };
      const cluster = { name: "cortex", listen: `127.0.0.1:${routePorts[index]}`, authorization, routes };
      writeFileSync(join(own, "nats.conf"), `${config}cluster: ${JSON.stringify(cluster)}\n`, { mode: 0o600 });
      servers.push(start(name, own, [binary, "-c", join(own, "nats.conf")], process.env));
    }
    const urlAs = (user: BusUser) =>
      clientPorts.map((port) => `nats://${user}:${passwords[user]}@127.0.0.1:${port}`).join(",");
    await untilLed(urlAs("cortex"), servers);
    for (const name of ["one", "two"]) workers.push(startWorker(name, join(folder, name), urlAs("cortex")));
    for (const worker of workers) await untilReady(worker);
    return { servers, workers, url: urlAs("client"), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startWorker(name: string, journal: string, natsUrl: string): Member {
  makePrivateFolders(journal);
  const file = join(journal, "cortex.json");
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
  const env = { ...process.env, JOURNAL_PATH: journal, NATS_URL: natsUrl };
  return start(name, journal, ownCommand("cortex/main"), env);
}

function start(name: string, folder: string, [command = "", ...args]: string[], env: NodeJS.ProcessEnv): Member {
  const log = openSync(join(folder, "log"), "a", 0o600);
  // A group of its own: a Ctrl-C is for the script, which stops them in their order.
  const process = spawn(command, args, { env, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  return { name, folder, process };
}

/** Waits until the cluster has chosen who leads it. */
async function untilLed(url: string, servers: Member[]): Promise<void> {
  for (const end = performance.now() + readyMs; ; await delay(100)) {
    for (const server of servers) checkLives(server);
    try {
      await using bus = await openBus({ url }, "cortex");
      return void (await (await bus.manager()).getAccountInfo());
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

async function untilReady(worker: Member): Promise<void> {
  for (const end = performance.now() + readyMs; ; await delay(50)) {
    checkLives(worker);
    if ((await readProgramRecord(worker.folder, "cortex"))?.pid === worker.process.pid) return;
    if (performance.now() > end) throw new Error(`${worker.name} wasn't ready in time: see ${worker.folder}/log`);
  }
}

function checkLives({ name, folder, process: { exitCode, signalCode } }: Member): void {
  if (exitCode !== null || signalCode !== null)
    throw new Error(`${name} ended with ${exitCode ?? signalCode}: see ${folder}/log`);
}

async function end({ process }: Member, signal: NodeJS.Signals): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = new Promise((resolve) => process.once("exit", resolve));
  process.kill(signal);
  await exited;
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

const secret = () => randomBytes(24).toString("base64url");

/** The same load on two workers that have a lease alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { BusServer } from "../../test/bus/bus-server.ts";
import { killByTurns, type Victim } from "../../test/support/workers/kill-by-turns.ts";
import { finishedIn, makeQueue, putItem } from "./lease-queue.ts";
import { capacity, leaseSeconds, type Load, longestMs, type Score, scoreOf, secondsOf, turnsOf } from "./load.ts";

const worker = fileURLToPath(new URL("lease-worker.ts", import.meta.url));

/** @param file where the agents write down what they do */
export async function withLease(load: Load, file: string): Promise<Score> {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await makeQueue(bus, leaseSeconds * 1000);
  const url = urlOf(server);
  const victims = [new LeaseWorker(url, file), new LeaseWorker(url, file)];
  for (const victim of victims) await victim.start();
  let killing: ReturnType<typeof killByTurns> | null = null;
  try {
    const since = performance.now();
    for (let number = 0; number < load.runs; number++)
      await putItem(bus, { agent_id: String(number), seconds: secondsOf(number) });
    killing = killByTurns(victims, turnsOf(load));
    let finished = new Set<string>();
    const end = since + longestMs(load);
    while (finished.size < load.runs && performance.now() < end) {
      await delay(50);
      finished = await finishedIn(bus);
    }
    const seconds = (performance.now() - since) / 1000;
    const kills = await killing.stop();
    // Whoever was begun a second time, and whose worker was killed, works on.
    await delay(workMs);
    return scoreOf(load, file, finished, { kills, seconds });
  } finally {
    await killing?.stop();
    for (const victim of victims) await victim.kill();
  }
}

/** Longer than the work of any run takes. */
const workMs = 6000;

function urlOf(server: BusServer): string {
  const access = readBusAccess(server.journal);
  if (!access) throw new Error("the server's users aren't known");
  const { url, user, password = "" } = addressAs(access, "cortex");
  const withUser = new URL(url);
  withUser.username = user;
  withUser.password = password;
  return withUser.href;
}

class LeaseWorker implements Victim {
  readonly #args: string[];
  #child: ChildProcess | null = null;

  constructor(url: string, file: string) {
    this.#args = [worker, url, String(leaseSeconds * 1000), String(capacity), file];
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, this.#args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`a worker ended with ${code}`))),
    ]);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}

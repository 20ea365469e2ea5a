/** Very many runs at once, all of them waiting for a model that doesn't answer. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { attemptFolder, liveRunsFolder } from "../../journal/run-folders/run-folder.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import { agentOf } from "../../proc/runs/run.ts";
import { processesOf } from "../../test/support/journal-processes.ts";
import { askFor, settled } from "../harness/ask.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { hello, openai } from "../harness/made/models.ts";
import { freeMemory, memoryOf, residentOf } from "../harness/processes.ts";
import { startSystem } from "../harness/system.ts";
import { until } from "../harness/until.ts";

/** With less than this left on the machine no further run may come: what others do on it goes before a figure. */
const leaveMiB = 2048;
const patienceMs = 900_000;
const lookEveryMs = 100;

export const measure: Benchmark = async ({ isQuick }) => {
  const count = isQuick ? 50 : 1000;
  await using server = await openai.play(Array.from({ length: count }, () => ({ silent: true })));
  const env = openai.environment(server.url);
  await using system = await startSystem({ settings: { ...openai.settings, max_concurrent: count }, env });
  const beats = new Heartbeats(system.journal);
  const asked = performance.now();
  const runs = Array.from({ length: count }, () => askFor(system.bus, hello));
  for (const { ended } of runs) ended.catch(() => {}); // they are cancelled
  const isFull = () => freeMemory() < leaveMiB;
  await until(() => server.requests.length >= count || isFull(), "all wait for the model", patienceMs);
  const seconds = (performance.now() - asked) / 1000;
  const longestGap = beats.stop(); // now: what follows keeps this thread from looking

  const isLive = (agentId: string) => {
    const agent = agentOf(attemptFolder(system.journal, agentId, 1));
    return agent !== null && isAlive(agent);
  };
  const alive = runs.filter(({ agentId }) => isLive(agentId)).length;
  const memory = memoryOf(processesOf(system.journal).map(({ pid }) => pid));
  const ofCortex = residentOf(system.pid);
  for (const { agentId } of runs) system.cancel(agentId);
  for (const { agentId } of runs) await settled(system.journal, agentId);

  const what = `${count.toLocaleString("en")} runs wait`;
  return [
    { what: `${what}: alive at once`, unit: "runs", ours: [alive], target: { atLeast: count } },
    { what: `${what}: until all do`, unit: "s", ours: [seconds], target: null },
    { what: `${what}: memory of everything`, unit: "MiB PSS", ours: [memory], target: { atMost: 24 * 1024 } },
    { what: `${what}: memory of cortex`, unit: "MiB RSS", ours: [ofCortex], target: { atMost: 300 } },
    // It beats every 500 ms: twice as much is a beat that was missed.
    { what: `${what}: longest pause between heartbeats`, unit: "ms", ours: [longestGap], target: { atMost: 1000 } },
  ];
};

/** Watches the file that cortex touches as long as it lives. */
class Heartbeats {
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;
  #last: number;
  #longest = 0;

  constructor(journal: string) {
    this.#file = join(liveRunsFolder(journal), "heartbeat");
    this.#last = statSync(this.#file).mtimeMs;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  #look(): void {
    const { mtimeMs } = statSync(this.#file);
    this.#longest = Math.max(this.#longest, mtimeMs - this.#last);
    this.#last = mtimeMs;
  }

  /** The longest time between two beats so far, in ms. */
  stop(): number {
    this.#look();
    clearInterval(this.#timer);
    return this.#longest;
  }
}

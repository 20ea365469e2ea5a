/** The load on two of our own workers. */
import { isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem } from "../../test/support/cortex-system.ts";
import { effectsAgent } from "../../test/support/workers/effects.ts";
import { killByTurns } from "../../test/support/workers/kill-by-turns.ts";
import { Worker } from "../../test/support/workers/worker.ts";
import {
  capacity,
  leaseSeconds,
  type Load,
  longestMs,
  type Score,
  scoreOf,
  secondsOf,
  turnsOf,
  workSeconds,
} from "./load.ts";

const backendOf = (seconds: number) => `work-${workSeconds.indexOf(seconds as never)}`;

/** @param file where the agents write down what they do */
export async function withClaims(load: Load, file: string): Promise<Score> {
  const backends = Object.fromEntries(
    workSeconds.map((seconds) => [backendOf(seconds), { command: effectsAgent(file, seconds) }]),
  );
  const settings = { max_concurrent: capacity, lease_seconds: leaseSeconds, backends };
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, settings);
  const since = performance.now();
  const unended = new Set(
    Array.from({ length: load.runs }, (_, number) =>
      system.request({ prompt: "work", backend: backendOf(secondsOf(number)) }),
    ),
  );
  const finished = new Set<string>();
  let heard = 0;
  const hasEnded = () => {
    for (; heard < system.events.length; heard++) {
      const event = system.events[heard];
      if (!event || !isTerminal(event)) continue;
      unended.delete(event.agent_id);
      if (event.event === "finish") finished.add(event.agent_id);
    }
    return unended.size === 0;
  };
  const killing = killByTurns(
    [
      { kill: () => system.killCortex(), start: () => system.startCortex() },
      { kill: () => worker.end("SIGKILL"), start: () => worker.start() },
    ],
    turnsOf(load),
  );
  await system.until(hasEnded, "all have ended", longestMs(load)).catch(() => {});
  const seconds = (performance.now() - since) / 1000;
  return scoreOf(load, file, finished, { kills: await killing.stop(), seconds });
}

/** A run as a client sees it: from the published request to the terminal event that is heard. */
import { existsSync } from "node:fs";
import type { Bus } from "../../bus/connection/connect.ts";
import { runFolder } from "../../journal/run-folders/run-folder.ts";
import { until } from "./until.ts";

/** A run that takes longer is lost. */
const patienceMs = 600_000;

/** They lie in the last minute, so that none is one that cortex itself assigns. */
let lastId = Date.now() - 60_000;

export type Heard = { agentId: string; ms: number };

/**
 * Asks for a run and waits for its `finish`.
 * @throws Error when it ends otherwise
 */
export function ask(bus: Bus, fields: Record<string, unknown>): Promise<Heard> {
  const { agentId, ended } = askFor(bus, fields);
  const asked = performance.now();
  return ended.then((at) => ({ agentId, ms: at - asked }));
}

/** Asks for a run; `ended` says when its `finish` was heard, on `performance`'s clock. */
export function askFor(bus: Bus, fields: Record<string, unknown>): { agentId: string; ended: Promise<number> } {
  const agentId = String(++lastId);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new Error(`run ${agentId} hasn't ended`)), patienceMs);
  const heard = ["finish", "error"].map((event) =>
    bus.connection.subscribe(`cortex.event.${agentId}.${event}`, {
      callback: (_, message) =>
        event === "finish"
          ? resolve(performance.now())
          : reject(new Error(`run ${agentId} failed: ${message.string()}`)),
    }),
  );
  bus.connection.publish("cortex.request", JSON.stringify({ ts: Number(agentId), ...fields }));
  const ended = promise.finally(() => {
    clearTimeout(timer);
    for (const subscription of heard) subscription.unsubscribe();
  });
  return { agentId, ended };
}

/** Waits until a run's finalization is complete. */
export function settled(journal: string, agentId: string): Promise<unknown> {
  return until(
    () => !existsSync(runFolder(journal, agentId)),
    `the finalization of run ${agentId} is complete`,
    patienceMs,
  );
}

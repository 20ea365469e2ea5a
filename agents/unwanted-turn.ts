/** Runs that nobody wants any more: cortex is told so until they have ended, since it may be away when it is told. */
import { publishCancel } from "../bus/runs/control.ts";
import type { Agent } from "./agent.ts";

const againMs = 1000;

/** Ends the running turn of an agent, or its summary, should it be unwanted, or become so. Until it is disposed of. */
export function endWhenUnwanted(agent: Agent): Disposable {
  endUnwanted(agent);
  const timer = setInterval(() => endUnwanted(agent), againMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export function endUnwanted({ host: { bus }, state: { turn }, summary }: Agent): void {
  if (!bus.isConnected) return;
  if (turn?.is_unwanted) publishCancel(bus, turn.run_id);
  if (summary?.isUnwanted) publishCancel(bus, summary.runId);
}

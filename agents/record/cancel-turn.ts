/** Cancellation of the runs that nobody wants any more: cortex is told until they have ended, since it may be away when it is told. */
import { publishCancel } from "../../bus/runs/control.ts";
import type { AgentRecord } from "./agent-record.ts";

const againMs = 1000;

/** Ends the running turn. What it has said stays said. Resolves, when its end is sure, with whether there is one. */
export async function cancelTurn(agent: AgentRecord): Promise<boolean> {
  const { turn } = agent.state;
  if (!turn) return false;
  if (!turn.is_unwanted) await agent.update({ turn: { ...turn, is_unwanted: true } });
  cancelUnwantedRuns(agent);
  return true;
}

/** Ends the run that summarises the conversation. Returns whether there was one. */
export function cancelSummary(agent: AgentRecord): boolean {
  if (!agent.summary) return false;
  agent.summary.isUnwanted = true;
  cancelUnwantedRuns(agent);
  return true;
}

/** Cancels the running turn of an agent, or its summary, should it be unwanted, or become so, until it is disposed of. */
export function cancelWhenUnwanted(agent: AgentRecord): Disposable {
  cancelUnwantedRuns(agent);
  const timer = setInterval(() => cancelUnwantedRuns(agent), againMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function cancelUnwantedRuns({ deps: { bus }, state: { turn }, summary }: AgentRecord): void {
  if (!bus.isConnected) return;
  if (turn?.is_unwanted) publishCancel(bus, turn.run_id);
  if (summary?.isUnwanted) publishCancel(bus, summary.runId);
}

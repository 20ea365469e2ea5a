/** Turns of a long-lived agent that the editor's user stops. */
import { readTurn } from "../../journal/agents/agent-files.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { AgentsRefusedError, askAgents } from "../base/ask-agents.ts";
import { tellingAgain } from "./tell-again.ts";

/** Stops a turn that is under way, and none behind it, once that is wanted, until it is disposed of. */
export function stoppingTurn(deps: AcpDeps, agent: string, run: string, cancel: AbortSignal): Disposable {
  return tellingAgain(cancel, () => {
    if (readTurn(deps.journal, agent)?.run_id !== run) return;
    askAgents(deps, "agents stop", { agent_id: agent }).catch((error: unknown) =>
      deps.log.warn({ err: error }, "the turn isn't stopped yet"),
    );
  });
}

/** Takes a message back, or stops the turn that hears it, once that is wanted, until it is disposed of. */
export function takingBack(deps: AcpDeps, agent: string, item: string, cancel: AbortSignal): Disposable {
  return tellingAgain(cancel, () => {
    takeBack(deps, agent, item).catch((error: unknown) => deps.log.warn({ err: error }, "the turn isn't stopped yet"));
  });
}

async function takeBack(deps: AcpDeps, agent: string, item: string): Promise<void> {
  try {
    await askAgents(deps, "agents take-back", { agent_id: agent, item });
  } catch (error) {
    if (!(error instanceof AgentsRefusedError)) throw error;
    // Another's turn goes on: only the one that hears this message is stopped.
    const isHeard = readTurn(deps.journal, agent)?.items.includes(item) === true;
    if (isHeard) await askAgents(deps, "agents stop", { agent_id: agent });
  }
}

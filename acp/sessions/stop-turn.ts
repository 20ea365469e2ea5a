/** Turns of a long-lived agent that the editor's user stops. */
import { readTurn } from "../../journal/agents/agent-files.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { AgentsRefusedError, askAgents } from "../base/ask-agents.ts";

/** Milliseconds after which a turn that is to be stopped is told so again. */
const stopAgainMs = 1000;

/** Stops the turn that is under way, once that is wanted, until it is disposed of. */
export function stoppingTurn(deps: AcpDeps, agent: string, cancel: AbortSignal): Disposable {
  const stop = () =>
    void askAgents(deps, "agents stop", { agent_id: agent }).catch((error: unknown) =>
      deps.log.warn({ err: error }, "the turn isn't stopped"),
    );
  if (cancel.aborted) stop();
  else cancel.addEventListener("abort", stop, { once: true });
  return { [Symbol.dispose]: () => cancel.removeEventListener("abort", stop) };
}

/** Takes a message back, or stops the turn that hears it, once that is wanted, until it is disposed of. */
export function takingBack(deps: AcpDeps, agent: string, item: string, cancel: AbortSignal): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const tell = () =>
    void takeBack(deps, agent, item).catch((error: unknown) =>
      deps.log.warn({ err: error }, "the turn isn't stopped yet"),
    );
  const begin = () => {
    tell();
    timer = setInterval(tell, stopAgainMs).unref();
  };
  if (cancel.aborted) begin();
  else cancel.addEventListener("abort", begin, { once: true });
  return {
    [Symbol.dispose]: () => {
      cancel.removeEventListener("abort", begin);
      clearInterval(timer);
    },
  };
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

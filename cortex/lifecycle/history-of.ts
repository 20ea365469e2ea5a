/** The conversation that a run goes on from: its agent's history where it is here, else the runs that it continues. */
import type { Message } from "../../protocol/runs/run-config.ts";
import type { Plan } from "../plan/merge.ts";
import type { RunFiles } from "../ports/run-files.ts";

/**
 * @param isQueued whether an id waits: it has no file yet
 * @throws ConfigError when it can't be read
 */
export async function historyOf(
  files: RunFiles,
  { agentHistory, continueFrom }: Plan,
  agentId: string,
  isQueued: (agentId: string) => boolean,
): Promise<Message[]> {
  const ofAgent = agentHistory === undefined ? null : files.agentHistory(agentHistory, agentId);
  if (ofAgent !== null) return ofAgent;
  return continueFrom === undefined ? [] : files.chainHistory(continueFrom, isQueued);
}

/** Questions to the agents' service, as the owner at this machine. */
import { callCommand } from "../../bus/agents/agent-calls.ts";
import type { AcpDeps } from "./acp-deps.ts";

/** The service refused what was asked. */
export class AgentsRefusedError extends Error {
  override name = "AgentsRefusedError";
}

/** @throws AgentsRefusedError with its words; NothingRunsError, NoAgentsError when nobody answers */
export async function askAgents(
  { owner }: Pick<AcpDeps, "owner">,
  command: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const answer = await callCommand(await owner(), { command, args });
  if (answer.ok) return answer.result;
  throw new AgentsRefusedError(answer.error);
}

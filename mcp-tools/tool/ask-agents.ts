/** Questions of a tool to the agents' service, on behalf of the run whose call it is. */
import { createHash, randomUUID } from "node:crypto";
import { AgentContext } from "../../protocol/agents/agent-call.ts";
import type { ToolContext } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** A call's id is no longer than this, in characters. */
const maxId = 256;

/**
 * Asks the service for a tool, as the run whose call this is.
 * @throws ToolError for what it refuses
 */
export async function askAgents(
  { run, call, agents }: ToolContext,
  tool: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (run === undefined)
    throw new ToolError(
      "only a run of an agent may call this tool, and this call came with the commands' token: use cortex chat",
    );
  const answer = await agents.ask({ run_id: run, call_id: idOf(call?.call_id), tool, args });
  if (!answer.ok) throw new ToolError(answer.error);
  return answer.result;
}

/** Asks which agent this run belongs to, and where its files are: each time, since what a user allows changes. */
export async function agentOf(context: ToolContext): Promise<AgentContext> {
  return AgentContext.parse(await askAgents({ ...context, call: undefined }, "context", {}));
}

/** One made from tool and arguments would take two calls for one: a run may mean to say the same again. */
function idOf(given: string | undefined): string {
  if (!given) return randomUUID();
  return given.length <= maxId ? given : createHash("sha256").update(given).digest("hex");
}

/** The token of a run for the tool server, with where and under which limits its commands work. */
import { issueToken } from "../../journal/access/tokens.ts";
import { readableOf } from "../worktrees/make-worktree.ts";
import { acpCommand } from "../plan/backend-choice.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";

/** The limits of a command where neither settings nor request have any, in MiB for memory. */
const usualProcesses = 1024;
const usualMemory = 4096;

/**
 * Issues a token for the built-in tools. Undefined: the run has none of them, nor an agent whose own tools the rules are
 * asked about.
 */
export async function tokenFor(
  journal: string,
  agentId: string,
  plan: Plan,
  folder: string,
  resources: Pick<ResourceLimits, "max_processes" | "max_memory_mb">,
): Promise<string | undefined> {
  const { mcp_server_url, disable_mcp } = plan.config;
  const isOurs = mcp_server_url === undefined && disable_mcp !== true;
  const tools = isOurs ? plan.tools : [];
  if (tools.length === 0 && acpCommand(plan.backend) === undefined) return undefined;
  const { max_processes = usualProcesses, max_memory_mb = usualMemory } = { ...resources, ...plan.limits };
  const isTurn = plan.config["agent"] !== undefined;
  // A turn works where its agent does, which is for the agents' service to say, unless it is a folder of the user's.
  const where = isTurn && plan.folder === undefined ? {} : { folder, ...(isTurn && { is_turn: true }) };
  const readable = plan.worktree === undefined ? {} : { readable: readableOf(journal, plan.worktree) };
  const place = {
    ...where,
    ...readable,
    is_walled: plan.isWalled,
    ...(plan.wall && { is_program_walled: true }),
    network: plan.network,
    max_processes,
    max_memory_mb,
  };
  return issueToken(journal, agentId, tools, plan, place);
}

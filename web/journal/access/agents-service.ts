/** Questions to the agents' service, as the owner at this machine. */
import { callCommand } from "../../../bus/agents/agent-calls.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { busAs } from "../../machine/base/bus-as.ts";

/** @throws WorkspaceError with what was refused; UnavailableError, NoAgentsError when nobody answers */
export async function askAgents(
  machine: Pick<Machine, "journal" | "bus">,
  command: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  await using open = await busAs(machine, "owner");
  const answer = await callCommand(open.bus, { command, args });
  if (answer.ok) return answer.result;
  const code = /^there is no (?:agent|task) /.test(answer.error) ? "not_found" : "conflict";
  throw new WorkspaceError(code, answer.error);
}

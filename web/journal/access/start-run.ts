/** Runs that are asked for from the journal's views: a try of a persona, an answer to a comment. */
import { ask, NoCortexError, RejectedError } from "../../../bus/runs/client.ts";
import type { Request } from "../../../protocol/runs/request/request.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { type Machine, UnavailableError } from "../../machine/machine.ts";

/** Returns the run's id. One that no cortex has taken yet is stored, and runs later. @throws WorkspaceError, UnavailableError */
export async function startRun({ bus }: Pick<Machine, "bus">, request: Omit<Request, "ts">): Promise<string> {
  if (!bus.isConnected) throw new UnavailableError("the bus is away now: cortex status says why");
  try {
    const { agent_id, result } = await ask(bus, request);
    result.catch(() => {}); // how it ends is told on its own file
    return agent_id;
  } catch (error) {
    if (error instanceof NoCortexError) return error.agentId;
    if (!(error instanceof RejectedError)) throw error;
    throw new WorkspaceError(error.reason === "invalid" ? "invalid" : "conflict", error.message);
  }
}

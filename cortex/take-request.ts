/** Takes a waiting request for this worker: its claim, unless its run has ended or all workers together run as many as they may. */
import type { CortexDeps, SharedDeps } from "./deps.ts";
import type { Ports } from "./ports/ports.ts";

type TakeDeps = Pick<Ports, "ledger"> & Pick<SharedDeps, "claims"> & Pick<CortexDeps, "settings" | "log">;

/** Takes a request. `later`: there is no room, or the bus didn't answer, and it is to be tried again. */
export async function takeRequest(deps: TakeDeps, agentId: string): Promise<"taken" | "not ours" | "later"> {
  const { claims, settings, log } = deps;
  try {
    if (!(await takeClaim(deps, agentId))) return "not ours";
    const most = settings().max_concurrent_total;
    if (most === undefined || (await claims.isAmongFirst(agentId, most))) return "taken";
    await claims.release(agentId);
  } catch (error) {
    log.warn({ agent_id: agentId, err: error }, "a request couldn't be taken; it is tried again");
  }
  return "later";
}

/** Takes a claim, unless it was made again of a run that has ended: by a worker that slept over its end. */
export async function takeClaim(
  { claims, ledger }: Pick<TakeDeps, "claims" | "ledger">,
  agentId: string,
): Promise<boolean> {
  if (!(await claims.takeClaim(agentId))) return false;
  if (!(await ledger.entry(agentId))?.ended) return true;
  await claims.end(agentId);
  return false;
}

/** How far the agent of a task is trusted: what its run is told, for the gate before its calls. */
import type { Database } from "../database/connection/open-database.ts";
import { type Trust, TrustLevel } from "../../protocol/runs/request/trust.ts";
import type { AgentConfig } from "../records/agent.ts";

/** A question waits a day: longer than any rule's time, after which an admin is asked. */
const waitSeconds = 86_400;

export async function trustOfTask(
  tables: Pick<Database, "selectFrom">,
  workspaceId: string,
  { trust }: Pick<AgentConfig, "trust">,
): Promise<Trust> {
  const { trust_level } = await tables
    .selectFrom("workspaces")
    .select("trust_level")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return { level: TrustLevel.parse(trust_level), ...trust, timeout_seconds: waitSeconds };
}

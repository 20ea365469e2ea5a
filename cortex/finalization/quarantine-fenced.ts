/** Another worker has taken a run over: what stands of it here counts for nothing, and is kept for people to look at. */
import type { Logger } from "../../proc/logging/log.ts";
import { type RunRecord, tokensOf } from "../plan/run-record.ts";
import type { RunFiles } from "../ports/run-files.ts";

/**
 * Says so, ends what the run was allowed here, and moves its file out of the way. Nobody may be writing it any more.
 * @param record null where nothing was begun
 */
export async function quarantineFenced(
  { files, log }: { files: RunFiles; log: Pick<Logger, "warn"> },
  agentId: string,
  record: RunRecord | null,
): Promise<void> {
  log.warn({ agent_id: agentId }, "another worker has taken this run over: what stands here is quarantined");
  for (const token of record ? tokensOf(record) : []) await files.revokeToken(token);
  if (record) await files.removeWorkFolder(record.work_folder, record.plan);
  files.quarantine(agentId);
}

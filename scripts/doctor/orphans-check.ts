/** Files of runs in progress that no cortex has. */
import { orphanedRuns } from "../../journal/runs/orphaned-runs.ts";
import { activeFile } from "../../journal/runs/run-files.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Finding } from "./check.ts";

/** As many as are shown. */
const mostShown = 5;

export function checkOrphans({ journalPath: journal }: Environment): Finding {
  const name = "runs";
  const ids = orphanedRuns(journal);
  if (ids.length === 0) return { name, ok: "ok", detail: "each run in progress has its cortex" };
  const files = ids.map((agentId) => activeFile(journal, agentId));
  const more = ids.length > mostShown ? `; and ${ids.length - mostShown} more` : "";
  return {
    name,
    ok: "warn",
    detail: `${ids.length} orphaned (their files are in progress, and no cortex has them): ${files.slice(0, mostShown).join("; ")}${more}`,
    remedy: `cortex runs close ${ids[0]}`,
    items: ids.map((agent_id, index) => ({ agent_id, file: files[index] })),
  };
}

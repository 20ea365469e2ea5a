/** Whether the workspaces' database can be used, as the web program found it. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { readWorkspaceState } from "../../journal/programs/workspace-state.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Finding } from "./check.ts";
import { workspaceWarning } from "../../web/machine/health/workspace-warning.ts";

const mebibyte = 1024 * 1024;

export function checkWorkspace({ journalPath: journal }: Environment): Finding {
  const name = "workspace";
  const web = readSupervised(journal)?.programs.find((program) => program.name === "channel-web");
  const state = web?.identity && isAlive(web.identity) ? readWorkspaceState(journal) : null;
  const warning = state && workspaceWarning(state.problem);
  if (warning) return { name, ok: "fail", ...warning };
  const file = join(journal, "workspace.db");
  if (state && state.database !== file) return { name, ok: "ok", detail: `the database answers: ${state.database}` };
  if (!existsSync(file))
    return { name, ok: "ok", detail: "there are no workspaces yet (make one: cortex workspace init)" };
  return { name, ok: "ok", detail: `${file} (${Math.ceil(statSync(file).size / mebibyte)} MiB)` };
}

/** Whether programs of others reach their models through the gateway, and which of them can't be metered. */
import { settingsInUse } from "../settings/settings-in-use.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { keysIn } from "../../cortex/plan/backend-choice.ts";
import { loadPersonas } from "../../personas/load.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Finding } from "./check.ts";
import { runningCortex } from "./programs-check.ts";

const claudeKey = "ANTHROPIC_API_KEY";
const byLogin = `claude has no ${claudeKey} and logs in by its subscription: its calls can't be metered, so its limits hold only after each call`;

export async function checkGateway({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "gateway";
  const settings = settingsInUse(journal);
  const keys = runningCortex(journal)?.keys ?? keysIn(process.env);
  const where = await placeOf(journal);
  if (keys.includes(claudeKey)) return { name, ok: "ok", detail: where };
  if (!usesClaude(journal, settings)) return { name, ok: "ok", detail: `${where}; ${byLogin}` };
  return {
    name,
    ok: "warn",
    detail: `${where}; ${byLogin}`,
    remedy: `export ${claudeKey}=…, then: cortex up --replace`,
  };
}

async function placeOf(journal: string): Promise<string> {
  const program = readSupervised(journal)?.programs.find((one) => one.name === "gateway");
  const url = (await readProgramRecord(journal, "gateway"))?.url;
  const isThere = program?.identity && isAlive(program.identity) && url !== undefined;
  if (!isThere) return "not running (start it: cortex up)";
  return `programs of others reach their models through ${shownUrl(url)}`;
}

/** Whether runs on this journal use it without being told to. */
function usesClaude(journal: string, { default_backend, backends }: Settings): boolean {
  if (Object.hasOwn(backends ?? {}, "claude")) return false;
  const { personas } = loadPersonas(journal);
  return default_backend === "claude" || personas.values().some(({ settings }) => settings.backend === "claude");
}

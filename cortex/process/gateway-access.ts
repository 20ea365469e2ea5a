/** The gateway as runs are to find it: where it is, and a token of their own. */
import { setTimeout as delay } from "node:timers/promises";
import { issueGatewayToken } from "../../journal/access/tokens.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { nonceName } from "../../proc/programs/program-nonce.ts";
import { ConfigError } from "../model/config-error.ts";
import type { Plan } from "../plan/merge.ts";
import { type GatewayAccess, meteredProviders } from "../plan/metered-providers.ts";

/** Whether a supervisor keeps this program, and so the gateway, running. */
export const isSupervised = (env: NodeJS.ProcessEnv) => env[nonceName] !== undefined;

/** How long a run waits for a gateway that is being started. */
const patienceMs = 30_000;
const againMs = 100;

/** Issues a token for the gateway; undefined: the run reaches no provider through it. */
export async function gatewayTokenFor(journal: string, agentId: string, plan: Plan): Promise<string | undefined> {
  const providers = meteredProviders(plan.backend, process.env);
  if (providers.length === 0) return undefined;
  return issueGatewayToken(journal, agentId, { backend: plan.backend.name, providers, record: plan.record === true });
}

/**
 * Finds the gateway for a run. Undefined: nobody keeps one running beside a cortex that was started by itself, so that
 * its runs hold their keys.
 * @throws ConfigError when there should be one, and there is none
 */
export async function gatewayAccess(
  journal: string,
  plan: Plan,
  token: string | undefined,
): Promise<GatewayAccess | undefined> {
  if (token === undefined) return undefined;
  const providers = meteredProviders(plan.backend, process.env);
  for (const until = performance.now() + patienceMs; ; await delay(againMs)) {
    const record = await readProgramRecord(journal, "gateway");
    if (record?.url !== undefined && isThere(record.pid)) return { url: record.url, token, providers };
    if (!isSupervised(process.env)) return undefined;
    if (performance.now() > until)
      throw new ConfigError(
        "the gateway isn't there, through which this run reaches its models: see cortex logs gateway",
        "internal",
      );
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

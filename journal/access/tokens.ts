/**
 * The tokens, and the tools that each allows. A run's token is kept as a hash, in a file named by it: looking up the
 * hash of what was sent is a comparison that takes the same time for every wrong token. The commands' own token stands
 * in `.run/` as it is.
 */
import { readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasCode } from "../../files/errors/errno.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { allTools, ownersTools } from "../../protocol/settings/packs.ts";
import { type PermissionRule, PermissionRules } from "../../protocol/settings/permissions.ts";
import { Trust } from "../../protocol/runs/request/trust.ts";
import { runtime } from "../config/paths.ts";
import { isToken, keptToken, newToken, readKeptToken, sha256, tokenPattern } from "./token-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/**
 * The rights of a token. `agent_id` is `commands` for the commands' own. `permissions`: the rules of the run's persona;
 * `trust`: a workspace's in its agent.
 */
export type Grant = {
  agent_id: string;
  tools: string[];
  permissions?: PermissionRule[] | undefined;
  trust?: Trust | undefined;
  place?: RunPlace | undefined;
};

/** Where a run works, and how its commands are held there. */
export const RunPlace = z.object({
  /** A real path; absent for turns of long-lived agents that work in their agent's own, which their service knows. */
  folder: z.string().optional(),
  /** Whether it is the turn of a long-lived agent. */
  is_turn: z.boolean().optional(),
  /** The real paths that its commands may read, even where others can't see them. */
  readable: z.array(z.string()).optional(),
  /** Whether its commands run in a sandbox. */
  is_walled: z.boolean(),
  /** Whether its whole program does, with all that it starts. */
  is_program_walled: z.boolean().optional(),
  /** The hosts that they may reach from there, as settings have them. */
  network: z.array(z.string()).optional(),
  max_processes: z.number().int(),
  max_memory_mb: z.number().int(),
});
export type RunPlace = z.infer<typeof RunPlace>;

/**
 * The rights of a run's token at the gateway, which is for nothing else.
 * @field providers those that it may use, by the names of `protocol/settings/model-providers.ts`
 * @field record whether its exchanges are kept
 */
export const GatewayRights = z.object({
  backend: z.string(),
  providers: z.array(z.string()),
  record: z.boolean(),
});
export type GatewayRights = z.infer<typeof GatewayRights>;

const StoredGrant = z.object({
  gateway: GatewayRights.optional(),
  agent_id: AgentId,
  tools: z.array(z.string()),
  permissions: PermissionRules.optional(),
  trust: Trust.optional(),
  place: RunPlace.optional(),
});

/** Makes a run's token. It is valid until it is revoked, also after a restart. */
export async function issueToken(
  journal: string,
  agentId: string,
  tools: readonly string[],
  { permissions, trust }: Pick<Grant, "permissions" | "trust"> = {},
  place?: RunPlace,
): Promise<string> {
  return storeGrant(journal, StoredGrant.parse({ agent_id: agentId, tools, permissions, trust, place }));
}

/** Makes a run's token for the gateway. It is revoked like the others, and opens no tool. */
export const issueGatewayToken = (journal: string, agentId: string, gateway: GatewayRights): Promise<string> =>
  storeGrant(journal, { agent_id: agentId, tools: [], gateway });

async function storeGrant(journal: string, grant: z.infer<typeof StoredGrant>): Promise<string> {
  const token = newToken();
  // Nobody knows its name yet, and after a power cut nobody needs it: neither a rename nor the disk is waited for.
  await mkdir(runtime(journal, "tokens"), { recursive: true, mode: 0o700 });
  await writeFile(grantFile(journal, token), `${JSON.stringify(grant)}\n`, { mode: 0o600, flag: "wx" });
  return token;
}

/** Ends a token. One that is no longer there is no error. */
export async function revokeToken(journal: string, token: string): Promise<void> {
  if (tokenPattern.test(token)) await rm(grantFile(journal, token), { force: true });
}

/** Ends the tokens of all runs but these, and clears away what a crash left. For cortex at its start, before it issues any. */
export async function revokeTokensExcept(journal: string, liveAgentIds: ReadonlySet<string>): Promise<void> {
  const folder = runtime(journal, "tokens");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const grant = /^[0-9a-f]{64}\.json$/.test(name) ? readGrant(join(folder, name)) : null;
    if (!grant || !liveAgentIds.has(grant.agent_id)) await rm(join(folder, name), { force: true, recursive: true });
  }
}

/** Reads the rights of a token, or null for one that isn't valid. */
export async function readToken(journal: string, token: string): Promise<Grant | null> {
  if (!tokenPattern.test(token)) return null;
  const grant = readGrant(grantFile(journal, token));
  if (grant) return grant.gateway === undefined ? grant : null;
  const own = await readKeptToken(commandsFile(journal));
  return own !== null && isToken(own, token) ? { agent_id: "commands", tools: [...allTools, ...ownersTools] } : null;
}

/** Reads the rights of a token at the gateway, or null for one that isn't valid there. */
export async function readGatewayToken(
  journal: string,
  token: string,
): Promise<(GatewayRights & { agent_id: string }) | null> {
  const grant = tokenPattern.test(token) ? readGrant(grantFile(journal, token)) : null;
  return grant?.gateway ? { agent_id: grant.agent_id, ...grant.gateway } : null;
}

/** The token of the commands, which has all tools. Made at the first call. */
export const commandsToken = (journal: string) => keptToken(commandsFile(journal));

const commandsFile = (journal: string) => runtime(journal, "commands-token");
const grantFile = (journal: string, token: string) =>
  runtime(journal, "tokens", `${sha256(token).toString("hex")}.json`);

/** Read at once: it is a line, asked for before each call of a tool or model, which threads of Node's would make wait for longer. */
function readGrant(file: string): z.infer<typeof StoredGrant> | null {
  const text = textIn(file);
  try {
    return StoredGrant.parse(parseOwnJson(text ?? ""));
  } catch {
    return null;
  }
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** What a run is given beside its process: a folder to work in, and a token for its tools. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "../../journal/access/tokens.ts";
import { facetFolder } from "../../journal/notes/facets.ts";
import { worksInFacet } from "../plan/backend-choice.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";

/** Where the agent works: in an empty folder outside of the journal, or in its facet's. */
export async function makeWorkFolder(journal: string, { backend, config }: Plan): Promise<string> {
  if (worksInFacet(backend)) return facetFolder(journal, String(config["facet"]));
  return mkdtemp(join(tmpdir(), "cortex-run-"));
}

/** Removes what was made for the run; a facet's folder wasn't. */
export async function removeWorkFolder(folder: string, { backend }: Plan): Promise<void> {
  if (!worksInFacet(backend)) await rm(folder, { recursive: true, force: true });
}

/** Of commands, where nobody says: only in tests has a cortex no limits of its own. */
const usualProcesses = 1024;
const usualMemory = 4096;

/** A token for the built-in tools, if the run has any. */
export async function tokenFor(
  journal: string,
  agentId: string,
  plan: Plan,
  folder: string,
  resources: Pick<ResourceLimits, "max_processes" | "max_memory_mb">,
): Promise<string | undefined> {
  const { mcp_server_url, disable_mcp } = plan.config;
  const isOurs = mcp_server_url === undefined && disable_mcp !== true;
  if (plan.tools.length === 0 || !isOurs) return undefined;
  const { max_processes = usualProcesses, max_memory_mb = usualMemory } = { ...resources, ...plan.limits };
  // A turn works where its agent does, which is for the agents' service to say.
  const own = plan.config["agent"] === undefined ? { folder } : {};
  const place = { ...own, is_walled: plan.isWalled, max_processes, max_memory_mb };
  return issueToken(journal, agentId, plan.tools, plan.permissions, place);
}

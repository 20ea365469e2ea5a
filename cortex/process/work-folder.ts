/** The folder that a run works in. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { facetFolder } from "../../journal/notes/facets.ts";
import { makeWorktree } from "../worktrees/make-worktree.ts";
import { worksInFacet } from "../plan/backend-choice.ts";
import type { Plan } from "../plan/merge.ts";

/** The beginning of the names of folders that are made for a run. */
const ownPrefix = "cortex-run-";

/**
 * Where the agent works: in a folder of the user's or a worktree of it, in its facet's, or in an empty one outside of the
 * journal.
 * @param folders the settings' folders
 * @throws ConfigError where there can be no worktree
 */
export async function makeWorkFolder(
  journal: string,
  agentId: string,
  { backend, config, folder, worktree }: Plan,
  folders: readonly string[] = [],
): Promise<string> {
  if (folder !== undefined && worktree !== undefined)
    return makeWorktree(journal, { id: worktree, agentId, folder, folders });
  if (folder !== undefined) return folder;
  if (worksInFacet(backend)) return facetFolder(journal, String(config["facet"]));
  return realpath(await mkdtemp(join(tmpdir(), ownPrefix)));
}

/** Removes what was made for the run; a facet's folder and the user's weren't. */
export async function removeWorkFolder(folder: string, plan: Plan): Promise<void> {
  if (plan.folder !== undefined || worksInFacet(plan.backend) || !basename(folder).startsWith(ownPrefix)) return;
  await rm(folder, { recursive: true, force: true });
}

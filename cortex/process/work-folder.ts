/** The folder that a run works in. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { facetFolder } from "../../journal/notes/facets.ts";
import { worksInFacet } from "../plan/backend-choice.ts";
import type { Plan } from "../plan/merge.ts";

/** Where the agent works: in an empty folder outside of the journal, or in its facet's. */
export async function makeWorkFolder(journal: string, { backend, config }: Plan): Promise<string> {
  if (worksInFacet(backend)) return facetFolder(journal, String(config["facet"]));
  return mkdtemp(join(tmpdir(), "cortex-run-"));
}

/** Removes what was made for the run; a facet's folder wasn't. */
export async function removeWorkFolder(folder: string, { backend }: Plan): Promise<void> {
  if (!worksInFacet(backend)) await rm(folder, { recursive: true, force: true });
}

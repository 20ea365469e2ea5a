/** How the workspaces' database is, for commands that want to tell: `.run/workspace.json`, written by the web program. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";

export const WorkspaceState = z.looseObject({
  /** The database, as it may be shown. */
  database: z.string(),
  /** Why it can't be used; null: it can. */
  problem: z.string().nullable(),
});
export type WorkspaceState = z.infer<typeof WorkspaceState>;

const stateFile = (journal: string) => runtime(journal, "workspace.json");

export const writeWorkspaceState = (journal: string, state: WorkspaceState) =>
  replaceFile(stateFile(journal), JSON.stringify(state));

/** Reads the state that the last web program wrote down; null: nobody has asked for workspaces yet. */
export function readWorkspaceState(journal: string): WorkspaceState | null {
  return isRuntimeOwn(journal) ? readDocument(stateFile(journal), WorkspaceState) : null;
}

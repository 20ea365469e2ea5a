/** The workspaces that one is a member of, which of them is looked at, and who one is. */
import { signal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";
import { mostItems, type Workspace } from "./team-store.ts";

/** Null: not read yet. */
export const workspaces = signal<readonly Workspace[] | null>(null);
export const workspacesProblem = signal<unknown>(null);
/** One's id as a user. */
export const me = signal<string | null>(null);

const kept = "workspace";

/** The one that was looked at last, in this browser. */
export const chosenWorkspace = signal<string | null>(localStorage.getItem(kept));

export function chooseWorkspace(id: string): void {
  chosenWorkspace.value = id;
  localStorage.setItem(kept, id);
}

export async function readWorkspaces(): Promise<void> {
  try {
    const [{ id }, { items }] = await Promise.all([
      answered(client.GET("/api/v1/me")),
      answered(client.GET("/api/v1/workspaces", { params: { query: { limit: mostItems } } })),
    ]);
    me.value = id;
    workspaces.value = items;
    workspacesProblem.value = null;
  } catch (error) {
    workspacesProblem.value = error;
  }
}

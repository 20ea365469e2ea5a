/**
 * Backends that an agent of a workspace can answer with. Trust and approvals hold in the tool server: a backend that comes with
 * file tools of its own passes them by, and needs a facet, which an answer doesn't have. Pure.
 */
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** A backend that can't be used here: why, and what to do instead. */
export type BackendProblem = { message: string; hint: string };

const table: Readonly<Record<string, BuiltInBackend>> = builtInBackends;
const worksInFacet = (name: string) => Object.hasOwn(table, name) && table[name]?.worksInFacet === true;

/** Null: it can be used. One that the settings declare can: what it does by itself is for whoever has declared it to know. */
export function backendProblem(backend: string | null): BackendProblem | null {
  if (backend === null || !worksInFacet(backend)) return null;
  const others = Object.keys(builtInBackends).filter((name) => !worksInFacet(name));
  return {
    message: `backend "${backend}" can't answer in a workspace: it works in a facet's folder, by tools of its own that no approval sees`,
    hint: `name another one (${others.join(", ")}), or null for the usual one`,
  };
}

/** @throws WorkspaceError `invalid` for a backend that can't be used */
export function requireUsableBackend({ backend }: { backend: string | null }): void {
  const problem = backendProblem(backend);
  if (problem) throw new WorkspaceError("invalid", problem.message, problem.hint);
}

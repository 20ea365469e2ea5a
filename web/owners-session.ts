/** Whether a request comes from a page of the owner's: by the session's cookie, and for a change its word as well. */
import type { IncomingHttpHeaders } from "node:http";
import { WorkspaceError } from "../workspace/records/workspace-error.ts";
import { secretIn } from "./api/access/session-cookie.ts";
import type { LazyWorkspace } from "./lazy-workspace.ts";

/** Opens the workspaces only for a request that has the cookie. @throws Error when they can't be opened */
export async function isOwnersSession(
  workspace: Pick<LazyWorkspace, "get">,
  method: string,
  headers: IncomingHttpHeaders,
): Promise<boolean> {
  if (headers.authorization !== undefined || secretIn(headers.cookie) === undefined) return false;
  const { api } = await workspace.get();
  try {
    return (await api.askerOf(method, headers)).isOwner;
  } catch (error) {
    if (error instanceof WorkspaceError) return false;
    throw error;
  }
}

/** The actions that a fork allows as it is: refused in words where it doesn't. Pure. */
import type { ForkTable } from "../database/tables/tables.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** @throws WorkspaceError `conflict` when it has ended */
export function requireLive({ status }: Pick<ForkTable, "status">): void {
  if (status === "resolved" || status === "abandoned")
    throw new WorkspaceError("conflict", `the fork is ${status} already`, "reopen it first");
}

/** @throws WorkspaceError `conflict` when it has ended, or its resolution is on the way */
export function requireOpen(fork: Pick<ForkTable, "status" | "draft">): void {
  requireLive(fork);
  if (fork.status === "open") return;
  if (fork.draft !== null)
    throw new WorkspaceError(
      "conflict",
      "the fork's resolution is drafted already",
      "post the draft, or reopen the fork",
    );
  throw new WorkspaceError("conflict", "somebody has the fork's resolution drafted already", "wait for the draft");
}

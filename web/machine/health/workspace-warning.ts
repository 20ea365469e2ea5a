/** The meaning of a workspaces' database that can't be used. `cortex status`, `cortex doctor` and the page tell it. */

/** For people; null: it can. */
export function workspaceWarning(problem: string | null): { detail: string; remedy: string } | null {
  if (problem === null) return null;
  return {
    detail: `the workspaces can't be used: ${problem}; it is tried again by itself, and nothing of them is lost`,
    remedy: "cortex logs channel-web",
  };
}

/** The walls of a run's commands: what they may see and write, and what they find in their environment. */
import { privatePaths } from "../../journal/notes/private-paths.ts";
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";
import type { Walls } from "../../sandbox/walls/walls.ts";
import { insideEnvironment, usualWalls } from "../../sandbox/walls/usual-walls.ts";

/** @param folder, scratch real paths */
export const wallsOfRun = (journal: string, folder: string, cwd: string, scratch: string): Walls =>
  usualWalls({ folder, cwd, scratch }, { hidden: privatePaths(journal, { attachments: false }), shown: [journal] });

/**
 * The environment of commands: nothing of ours but what everybody may know.
 * @param network what they reach from a sandbox; null: they run in none
 */
export function commandEnvironment(env: NodeJS.ProcessEnv, network: readonly string[] | null): Record<string, string> {
  const plain = plainEnvironment(env, ["LC_ALL", "LC_CTYPE", "USER", "LOGNAME"]);
  const open = { ...plain, TERM: "dumb", PATH: plain["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" };
  return network === null ? open : insideEnvironment(open, network);
}

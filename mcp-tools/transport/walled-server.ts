/** Puts the program of a server or an app behind the same wall as commands, where its declaration asks for it. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { runtime } from "../../journal/config/paths.ts";
import { sandboxKeys } from "../../journal/programs/sandbox-keys.ts";
import { makeHiddenFolders, privatePaths } from "../../journal/notes/private-paths.ts";
import { programMode } from "../../protocol/runs/request/sandbox-mode.ts";
import type { AppSettings } from "../../protocol/settings/settings.ts";
import { isWithin } from "../../sandbox/walls/is-within.ts";
import { sandboxHere, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import { insideEnvironment, usualWalls } from "../../sandbox/walls/usual-walls.ts";
import { walledProgram } from "../../sandbox/walled-program.ts";
import type { ServerProgram } from "./program-transport.ts";

export type WallWish = AppSettings & {
  /** The key of the folder for its `/tmp`. */
  key: string;
  /** The variables that the program finds in its environment beside what everybody may know, as they were declared. */
  declared?: Record<string, string> | undefined;
  /** The paths that it reads below what is hidden. */
  reads: readonly string[];
  /** A folder that it may write. */
  writes?: string | undefined;
};

const limits = { processes: 1024, openFiles: 4096, fileBytes: 4 * 1024 * 1024 * 1024 };

/** @throws Error that says what to install, where it needs a wall and none can be had; ChannelSecretError for a key that isn't there */
export async function walledServer(journal: string, program: ServerProgram, wish: WallWish): Promise<ServerProgram> {
  const mode = programMode(wish.sandbox);
  if (mode === "off") return program;
  const found = await sandboxHere();
  if (!found.wall && mode === "preferred") return program;
  if (!found.wall)
    throw new Error(
      `its settings require a sandbox, and this machine has none (${found.why}): ${sandboxRemedy(found)}`,
    );
  const own = runtime(journal, "walled", wish.key);
  const empty = join(own, "work");
  mkdirSync(empty, { recursive: true, mode: 0o700 });
  makeHiddenFolders(journal);
  const cwd = realpathSync(program.cwd);
  const { network = [], declared = {} } = wish;
  const order = {
    wall: found.wall,
    walls: usualWalls(
      { folder: writable(journal, wish.writes) ?? realpathSync(empty), cwd, scratch: "" },
      { hidden: privatePaths(journal, { attachments: false }), shown: [journal, ...wish.reads] },
    ),
    own: join(own, "wall"),
    limits,
    network,
    keys: sandboxKeys(journal, process.env, network),
    command: program.command,
    env: { ...insideEnvironment(program.env, network), ...declared },
  };
  return { ...program, ...walledProgram(order) };
}

/** The folder, unless the journal is in it: that has more than anybody meant who named it. */
function writable(journal: string, folder: string | undefined): string | null {
  const real = folder === undefined ? null : realpathSync(folder);
  return real === null || isWithin(realpathSync(journal), real) ? null : real;
}

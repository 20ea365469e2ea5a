/** A folder of the user's where a run is to work: whether the settings allow it. */
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import { whyNotWritten } from "../../journal/notes/guarded-paths.ts";
import { ConfigError } from "../model/config-error.ts";

/**
 * The real path of a folder that a request or persona names.
 * @param folders the settings' folders
 * @throws ConfigError with the folder and what to do
 */
export function allowedFolder(named: string, folders: readonly string[], journal: string): string {
  const what = `folder ${JSON.stringify(named)}`;
  if (!isAbsolute(named)) throw new ConfigError(`${what}: expected an absolute path`);
  if (/\p{Cc}/u.test(named)) throw new ConfigError(`${what}: expected a path without control characters`);
  const real = realFolder(named);
  const roots = folders.flatMap((folder) => realFolder(folder) ?? []);
  const isAllowed = (path: string, within: readonly string[]) => within.some((root) => isWithin(root, path));
  // Of a place outside of all of them nobody is told whether anything is there.
  if (!isAllowed(real ?? resolve(named), real === null ? folders : roots))
    throw new ConfigError(`${what} isn't in any of the settings' folders (${shown(folders)}): ${remedy}`);
  if (real === null) throw new ConfigError(`${what} isn't a folder that can be opened: make it, or name another`);
  const why = whyNot(real, journal);
  if (why !== null) throw new ConfigError(`${what}: no run may work there, since ${why}: name another`);
  return real;
}

const remedy = 'add it to "folders" in cortex.json, or name one of these';

const shown = (folders: readonly string[]) => folders.join(", ") || "there are none";

/** Explains why a folder isn't allowed: a run would break out by it, or read what isn't its business. */
function whyNot(real: string, journal: string): string | null {
  if (isWithin(real, realpathSync(journal))) return "the journal is in it";
  const home = homeFolder();
  if (home !== null && isWithin(real, home)) return "your home folder is in it, whose dot files programs run";
  return whyNotWritten(real, join(real, "file"));
}

function homeFolder(): string | null {
  try {
    return realFolder(homedir());
  } catch {
    return null; // of a user without one
  }
}

/** Where a path leads, or null where that is no folder. */
function realFolder(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

const isWithin = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Where everything stands in a journal. Every path of it is made here, and checked to stay inside. */
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";

/** `.run/`: what may be deleted when nothing runs. */
export const runtime = (journal: string, ...parts: string[]) => join(journal, ".run", ...parts);

/** `.state/`: what must never be deleted. */
export const state = (journal: string, ...parts: string[]) => join(journal, ".state", ...parts);

/** A path that would leave the folder it must stay in. */
export class OutsideError extends Error {
  constructor(folder: string, path: string) {
    super(`"${path}" is outside ${folder}`);
    this.name = "OutsideError";
  }
}

/**
 * Resolves `path` below `folder`, links followed as far as the path exists, and makes sure that it stays inside.
 * @throws OutsideError
 */
export function inside(folder: string, path: string): string {
  const root = realpathSync(folder);
  const wanted = resolve(root, path);
  const real = realAsFarAsItGoes(wanted);
  if (real !== root && !real.startsWith(root + sep)) throw new OutsideError(folder, path);
  return real;
}

/**
 * Where an absolute path leads, links followed as far as it exists.
 * @throws OutsideError for a link that leads nowhere
 */
export function realAsFarAsItGoes(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    const found = lstatSync(path, { throwIfNoEntry: false });
    // A dangling link would be followed by whoever creates the file: it doesn't count as missing.
    if (found?.isSymbolicLink()) throw new OutsideError(dirname(path), path);
    if (found) return realAsFarAsItGoes(path); // somebody has made it since
    const parent = dirname(path);
    if (parent === path) return path;
    return join(realAsFarAsItGoes(parent), relative(parent, path));
  }
}

/** Makes a journal where there is none, and its private folders, readable by its owner alone. */
export function makePrivateFolders(journal: string): void {
  // The folders on the way to it are somebody else's: they get the modes that this user's folders have.
  mkdirSync(dirname(journal), { recursive: true });
  mkdirSync(journal, { recursive: true, mode: 0o700 });
  for (const folder of [runtime(journal), state(journal)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

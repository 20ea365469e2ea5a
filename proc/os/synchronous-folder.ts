/**
 * Folders whose files go to the disk with each write, whoever writes: the attribute `S` of Linux's ext4, XFS and btrfs.
 * What is made in such a folder later has it too, and a file that is open has it at once. Whoever owns a folder may set it.
 */
import { askProgram } from "./ask-program.ts";

/** Setting it takes milliseconds; a disk that hangs mustn't hang us. */
const withinMs = 10_000;

/**
 * Makes a folder synchronous, or no longer so, with all that is in it.
 * @param but a folder in it that never is: the attribute makes each write wait for the disk
 * @returns null when it is as wanted now, by what the file system says itself; else why it isn't
 */
export async function setSynchronous(folder: string, wanted: boolean, but?: string): Promise<string | null> {
  const set = await chattr(wanted ? "+S" : "-S", folder);
  if (wanted && but !== undefined) await chattr("-S", but);
  if ((await isSynchronous(folder, but)) === wanted) return null;
  if (set.error?.code === "ENOENT") return "there is no chattr here";
  // One line a file, each with the same reason.
  return set.stderr.split("\n")[0] || "the file system doesn't keep the attribute";
}

const chattr = (change: string, folder: string) => askProgram("chattr", ["-R", change, folder], withinMs);

/**
 * Whether a folder and all that is in it is synchronous; null when only some of it is, or nobody can tell.
 * @param but a folder in it that isn't looked at
 */
export async function isSynchronous(folder: string, but?: string): Promise<boolean | null> {
  const { stdout } = await askProgram("lsattr", ["-Ra", folder], withinMs);
  const listed = listing(stdout).filter(({ path }) => !path.endsWith("/.."));
  const flags = listed.filter(({ path }) => but === undefined || !`${path}/`.startsWith(`${but}/`));
  if (flags.length === 0) return null;
  const synchronous = flags.filter(({ letters }) => letters.includes("S")).length;
  return synchronous === flags.length ? true : synchronous === 0 ? false : null;
}

/** Parses the listing, per file a column of letters and dashes, then its path. */
const listing = (text: string) =>
  [...text.matchAll(/^([-A-Za-z]{10,}) (.*)$/gm)].map(([, letters = "", path = ""]) => ({ letters, path }));

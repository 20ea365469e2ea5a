/** Writes the result of a run, or a file that it made, into a day's folder. What no run has saved is never written over. */
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, parse, relative } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { isDay, savePattern } from "../../protocol/names/names.ts";
import type { SaveConflict } from "../../protocol/settings/settings.ts";
import { awaitFileLock } from "../../files/locks/file-lock.ts";
import { boundedName } from "../../files/writing/file-names.ts";
import { inside, makePrivateFolders, OutsideError, runtime } from "../config/paths.ts";
import { writeBeside } from "../../files/writing/replace-file.ts";
import { contentOf, noteSaved, savedAt } from "./saved-records.ts";

/** In a day's folder: what stood where a run has saved its result, under the same name. */
const formerFolder = ".former";

/** How many names beside a taken one are tried. */
const maxBeside = 100;

/** Milliseconds that another program may take to save. */
const lockTimeoutMs = 10_000;

/** A name that isn't taken, or whose place is. Its message says why, in words for whoever wants to save. */
export class SaveError extends Error {
  override name = "SaveError";
}

/** Where a result shall stand. */
type Target = {
  journal: string;
  day: string;
  /** The real path of the day's folder. */
  folder: string;
  /** The real path of the file, there or not. */
  path: string;
};

/**
 * Writes `<journal>/<day>/<save>` and returns its path, relative to the journal. What a run saved there before is kept in
 * `<day>/.former/<save>`, in place of what was kept there. The same content again changes nothing.
 * @param content text ends with a line feed there; bytes stand there as they are
 * @param conflict how a file of that name is handled that no run has saved, or that was changed since
 * @param by the run that saves it
 * @throws SaveError when the name or the day isn't one, the path would leave the day's folder, or another's file stands there
 */
export async function saveResult(
  journal: string,
  day: string,
  save: string,
  content: string | Buffer,
  conflict: SaveConflict = "fail",
  by?: string,
): Promise<string> {
  if (!isDay(day)) throw new SaveError(`day "${day}": expected a date as YYYYMMDD`);
  if (!savePattern.test(save)) throw new SaveError(`save "${save}": expected a file name below the day's folder`);
  const folder = within(journal, day);
  if (relative(within(journal, "."), folder) !== day) throw new SaveError(`day "${day}": its folder leads elsewhere`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = typeof content === "string" ? Buffer.from(content.endsWith("\n") ? content : `${content}\n`) : content;
  for (const name of names(fitting(save), conflict)) {
    const target = { journal, day, folder, path: within(folder, name) };
    if (await inTurn(target.path, () => write(target, bytes, by))) return join(day, name);
  }
  const others = conflict === "fail" ? "" : `, nor what stands under ${maxBeside - 1} names beside it`;
  throw new SaveError(
    `${day}/${save} isn't what a run has saved there${others}: it stays as it is. Move it away, save under another name, or set "save_conflict": "beside" in cortex.json`,
  );
}

function within(root: string, path: string): string {
  try {
    return inside(root, path);
  } catch (error) {
    throw error instanceof OutsideError ? new SaveError(error.message, { cause: error }) : error;
  }
}

/** A path whose names the file system takes. */
const fitting = (save: string) =>
  save
    .split("/")
    .map((name) => boundedName(name))
    .join("/");

/** `digest.md`, then `digest-2.md`, `digest-3.md`, … */
function* names(save: string, conflict: SaveConflict): Generator<string> {
  yield save;
  const { dir, name, ext } = parse(save);
  if (conflict === "beside") for (let n = 2; n <= maxBeside; n++) yield join(dir, `${name}-${n}${ext}`);
}

/** Whether it was written: not where another's file stands. */
async function write(target: Target, bytes: Buffer, by: string | undefined): Promise<boolean> {
  const { journal, day, folder, path } = target;
  makePrivateFolders(journal);
  // cortex saves, and so do tools: each looks and writes while the other doesn't.
  using _lock = await awaitFileLock(runtime(journal, "saves.lock"), lockTimeoutMs);
  if (!_lock)
    throw new SaveError(`${day}/${relative(folder, path)}: other files are being saved all the time: try again`);
  const name = join(day, relative(folder, path));
  const known = savedAt(journal, day, name);
  const before = ours(path, known);
  if (before === "another's") return false;
  // After a crash between the writing and the event the same is saved again: what it replaced is still kept.
  if (before?.equals(bytes)) {
    // Whose it is now: the newest that has saved it so.
    if (by !== undefined) await noteSaved(journal, day, name, [contentOf(bytes, by)]);
    return true;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = await writeBeside(path, bytes, 0o600);
  try {
    await noteSaved(journal, day, name, [...(before ? [sameAs(before, known)] : []), contentOf(bytes, by)]);
    return putInPlace(target, temporary, known);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Finds the known content that equals what stands there, else makes one of it. */
function sameAs(before: Buffer, known: ReturnType<typeof savedAt>): ReturnType<typeof contentOf> {
  const content = contentOf(before);
  return known.find(({ sha256 }) => sha256 === content.sha256) ?? content;
}

/** Between the last look and the renaming there is nothing that waits. */
function putInPlace({ folder, path }: Target, temporary: string, known: ReturnType<typeof savedAt>): boolean {
  const now = ours(path, known);
  if (now === "another's") return false;
  if (now === null) return isLinked(temporary, path);
  keepFormer(folder, path);
  renameSync(temporary, path);
  return true;
}

/** A new name is never taken from somebody who was quicker. */
function isLinked(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * Keeps a file that is replaced, once: as a second name of the file itself, which is there before the first one goes.
 */
function keepFormer(folder: string, path: string): void {
  const former = inside(folder, join(formerFolder, relative(folder, path)));
  mkdirSync(dirname(former), { recursive: true, mode: 0o700 });
  rmSync(`${former}.tmp`, { force: true });
  linkSync(path, `${former}.tmp`);
  renameSync(`${former}.tmp`, former);
}

/** Reads the content at a path where a run has saved it, to the byte. Null: nothing stands there. */
function ours(path: string, known: ReturnType<typeof savedAt>): Buffer | null | "another's" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  // What has another length isn't read: it may be as large as a disk.
  if (!stats.isFile() || !known.some(({ bytes }) => bytes === stats.size)) return "another's";
  const bytes = readFileSync(path);
  const { sha256 } = contentOf(bytes);
  return known.some((content) => content.sha256 === sha256) ? bytes : "another's";
}

const turns = new Map<string, Promise<unknown>>();

/** Two runs that save at one path do so one after the other. */
async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(path) ?? Promise.resolve()).then(work);
  const settled = turn.catch(() => {});
  turns.set(path, settled);
  try {
    return await turn;
  } finally {
    if (turns.get(path) === settled) turns.delete(path);
  }
}

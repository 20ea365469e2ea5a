/**
 * Which folder the content of `.run` and `.state` belongs to: `journal.json` in each names the inode of the journal, its
 * device and its own inode. A copy has the file and other inodes, so it never takes the original's processes, addresses
 * and accepted work for its own.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { isRecord } from "../../protocol/json/json-object.ts";
import { runtime } from "./paths.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

type FolderMark = {
  device: string;
  inode: string;
  /** The inode of this file: of two disks that were filled alike, folders may have the same numbers. */
  self: string;
  /** Where the journal was when this was written. */
  path: string;
};

/** `unmarked`: of a journal that no `cortex up` has had yet. */
export type FolderOrigin = { state: "own" | "unmarked" } | { state: "copied"; from: string };

export const markName = "journal.json";
const markFile = (folder: string) => join(folder, markName);

/** Whether a private folder of the journal is the journal's own, or was copied with it. */
export function standingOf(journal: string, folder: string): FolderOrigin {
  const mark = readMark(folder);
  if (!mark) return { state: "unmarked" };
  const now = inodeOf(journal);
  const isSame = mark.inode === now.inode && mark.self === inodeOf(markFile(folder)).inode;
  // A disk gets another number when it is mounted again, and is then where it was. A snapshot of it is elsewhere.
  const isHere = mark.device === now.device || mark.path === resolve(journal);
  return isSame && isHere ? { state: "own" } : { state: "copied", from: mark.path };
}

/** Whether what stands in `.run` may be believed: it isn't that of a journal of which this one is a copy. */
export const isRuntimeOwn = (journal: string): boolean => standingOf(journal, runtime(journal)).state !== "copied";

/** Why what a copied journal says of its original's programs isn't believed; empty for any other journal. */
export function copyNote(journal: string): string {
  const standing = standingOf(journal, runtime(journal));
  return standing.state === "copied" ? `, which is a copy of ${standing.from}` : "";
}

/** Says that a private folder is this journal's. Nothing is written where that stands there already. */
export function markOwn(journal: string, folder: string): void {
  const before = readMark(folder);
  if (before?.path === resolve(journal) && standingOf(journal, folder).state === "own") return;
  const temporary = `${markFile(folder)}.${randomBytes(6).toString("hex")}.tmp`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    const self = fstatSync(file, { bigint: true }).ino.toString();
    const mark: FolderMark = { ...inodeOf(journal), self, path: resolve(journal) };
    writeSync(file, `${JSON.stringify(mark)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, markFile(folder));
}

/** Whether a private folder was copied, and the journal that it was copied from is still where it was. */
export function isOriginalThere(journal: string, folder: string): boolean {
  const mark = readMark(folder);
  if (!mark || mark.path === resolve(journal) || standingOf(journal, folder).state !== "copied") return false;
  try {
    return inodeOf(mark.path).inode === mark.inode;
  } catch {
    return false;
  }
}

/** Says of a private folder what the mark of another one says: that it was copied too. */
export const markLike = (folder: string, other: string): void => copyFileSync(markFile(other), markFile(folder));

function inodeOf(path: string): Pick<FolderMark, "device" | "inode"> {
  const { dev, ino } = statSync(path, { bigint: true });
  return { device: dev.toString(), inode: ino.toString() };
}

/** Checked by hand: `cortex status` reads it, and to load a schema would take longer than all the rest of that. */
function readMark(folder: string): FolderMark | null {
  try {
    const mark: unknown = parseOwnJson(readFileSync(markFile(folder), "utf8"));
    return isRecord(mark) && isMark(mark) ? mark : null;
  } catch {
    return null;
  }
}

const isMark = (mark: Record<string, unknown>): mark is FolderMark =>
  ["device", "inode", "self", "path"].every((field) => typeof mark[field] === "string");

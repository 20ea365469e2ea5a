/**
 * The former versions of a persona that was changed here, `.state/personas/<name>/`: a file a version, so that a change
 * can be looked at and undone.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { namesIfThere } from "../files/folder-entries.ts";
import { readDocument } from "../files/json-document.ts";
import { replaceFile } from "../files/writing/replace-file.ts";
import { state } from "../journal/config/paths.ts";
import type { PersonaFiles } from "./persona-files.ts";

/** Older ones go. */
const mostVersions = 200;

const KeptVersion = z.object({
  version: z.string(),
  /** When it was read last as what stands there, or replaced, in ms. */
  at: z.number(),
  text: z.string().nullable(),
  settings: z.string().nullable(),
});
export type KeptVersion = z.infer<typeof KeptVersion>;

const nameOfVersion = /^(\d{13})-([0-9a-f]{16})\.json$/;

const folderOf = (journal: string, name: string) => state(journal, "personas", name.replace(":", "."));

/** Keeps a version, unless it is the newest that is kept. */
export async function keepVersion(journal: string, files: PersonaFiles, at: number): Promise<void> {
  const { name, version, text, settings } = files;
  const folder = folderOf(journal, name);
  const kept = versionFiles(folder);
  if (kept[0]?.includes(`-${version}.`)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Of two changes within a millisecond the second is the newer one all the same.
  const last = Number(kept[0]?.slice(0, 13) ?? 0);
  const document: KeptVersion = { version, at, text, settings };
  await replaceFile(join(folder, `${Math.max(at, last + 1)}-${version}.json`), JSON.stringify(document));
  for (const old of kept.slice(mostVersions - 1)) rmSync(join(folder, old), { force: true });
}

/** Lists the versions that are kept, the newest first. */
export function keptVersions(journal: string, name: string): { version: string; at: number }[] {
  return versionFiles(folderOf(journal, name)).map((file) => ({
    version: file.slice(14, 30),
    at: Number(file.slice(0, 13)),
  }));
}

/** One that is kept, or null. */
export function keptVersion(journal: string, name: string, version: string): KeptVersion | null {
  const folder = folderOf(journal, name);
  const file = versionFiles(folder).find((one) => one.includes(`-${version}.`));
  return file === undefined ? null : readDocument(join(folder, file), KeptVersion);
}

/** The files of the versions in a folder, the newest first. */
function versionFiles(folder: string): string[] {
  return namesIfThere(folder)
    .filter((name) => nameOfVersion.test(name))
    .toSorted()
    .toReversed();
}

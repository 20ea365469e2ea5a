/** Records of what runs have saved, `.state/saves/<day>/`, one a file: what stands there otherwise is somebody's own. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { namesIfThere } from "../../files/folder-entries.ts";
import { isDay } from "../../protocol/names/names.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const Content = z.object({
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
  /** The run that has saved it. */
  by: z.string().optional(),
});
type Content = z.infer<typeof Content>;

const SavedRecord = z.object({
  /** Relative to the journal. */
  path: z.string(),
  /** The contents that a run has saved there, or was about to when cortex was killed: the newest last. */
  contents: z.array(Content),
});
type SavedRecord = z.infer<typeof SavedRecord>;

const folder = (journal: string) => state(journal, "saves");
const recordFile = (journal: string, day: string, path: string) =>
  join(folder(journal), day, `${hash("sha256", path, "hex").slice(0, 32)}.json`);

/** Measures what is compared: a file's length, then its hash. */
export const contentOf = (bytes: Buffer, by?: string): Content => ({
  bytes: bytes.length,
  sha256: hash("sha256", bytes, "hex"),
  ...(by !== undefined && { by }),
});

/** Lists the contents that runs have saved at a path. Empty: nothing, or nobody knows. */
export function savedAt(journal: string, day: string, path: string): Content[] {
  return readRecord(recordFile(journal, day, path))?.contents ?? [];
}

/** Notes what is about to be saved, beside what a run saved there before: one of the two will stand there. */
export async function noteSaved(journal: string, day: string, path: string, contents: Content[]): Promise<void> {
  await replaceFile(recordFile(journal, day, path), JSON.stringify({ path, contents } satisfies SavedRecord));
}

/** The paths at which runs have saved something, relative to the journal. */
export function savedPaths(journal: string): string[] {
  const days = namesIfThere(folder(journal)).filter(isDay);
  return days.flatMap((day) =>
    namesIfThere(join(folder(journal), day)).flatMap(
      (name) => readRecord(join(folder(journal), day, name))?.path ?? [],
    ),
  );
}

function readRecord(file: string): SavedRecord | null {
  try {
    return SavedRecord.safeParse(parseOwnJson(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    // Without a record that can be read, what stands there isn't replaced: nothing is lost.
    return null;
  }
}

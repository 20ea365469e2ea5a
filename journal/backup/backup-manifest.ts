/** The manifest of a backup: `cortex-backup.json`, first among its files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const BackupManifest = z.looseObject({
  format: z.literal(1),
  /** Where the journal was. */
  from: z.string(),
  /** When the bus's store was copied, in ms; the files are a little younger. */
  ts: z.number().int(),
  /** Whether what was accepted and not yet done is in it. */
  with_state: z.boolean(),
  /** How many requests waited, and ran. */
  waiting: z.number().int().nonnegative(),
  running: z.number().int().nonnegative(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export const manifestName = "cortex-backup.json";

export const writeManifest = (folder: string, manifest: BackupManifest): void =>
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest)}\n`, { mode: 0o600, flag: "wx" });

/** Null: what is in the folder is not a backup of a journal, or one of another format. */
export function readManifest(folder: string): BackupManifest | null {
  try {
    return BackupManifest.safeParse(parseOwnJson(readFileSync(join(folder, manifestName), "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

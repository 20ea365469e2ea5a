/**
 * The parts of a journal that programs in a sandbox may not see: secrets, other runs, other agents, their prompts and
 * channels.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRecord } from "../../protocol/json/json-object.ts";
import { usableSettings } from "../config/settings.ts";
import { secretsIn } from "./guarded-paths.ts";

const ofOthers = ["runs", "agents", "worktrees", "personas", "channels", "quarantine"];

/**
 * The paths of what is there, and of the files of keys, tokens and passwords that the settings name.
 * @param isShown whether the program is handed files of conversations: it finds them where all of them stand
 */
export function privatePaths(journal: string, isShown: { attachments: boolean }): string[] {
  const isSecret = secretsIn(journal);
  const others = isShown.attachments ? ofOthers : [...ofOthers, "attachments"];
  const names = readdirSync(journal).filter((name) => others.includes(name) || name.startsWith(".") || isSecret(name));
  return [...names.map((name) => join(journal, name)), ...settingsFiles(journal)];
}

/**
 * Makes the folders that are hidden, where they are missing: what isn't there when a program's wall is made isn't hidden from
 * it later. For programs that go on for days.
 */
export function makeHiddenFolders(journal: string): void {
  for (const name of [...ofOthers, "attachments"]) mkdirSync(join(journal, name), { recursive: true });
}

function settingsFiles(journal: string): string[] {
  try {
    return namedFiles(usableSettings(journal).settings).map((path) => resolve(journal, path));
  } catch {
    return []; // none could ever be used: they name nothing
  }
}

function namedFiles(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namedFiles);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    typeof field === "string" && /(_file|^key|^nkey|^creds)$/.test(key) ? [field] : namedFiles(field),
  );
}

/** Whether what only the journal's owner may read is closed to the other users of this machine, and its closing. */
import { chmodSync, lstatSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { namesIn } from "../../files/folder-entries.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { runtime, state } from "../../journal/config/paths.ts";
import { savedPaths } from "../../journal/saves/saved-records.ts";
import { readSettings, settingsPath } from "../../journal/config/settings.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { isSecretName } from "../../protocol/guards/secrets.ts";
import { shellQuoted } from "../command/layout/shell-quoted.ts";
import type { Check, Finding } from "./check.ts";

const forOthers = 0o077;
/** So many paths are named; the rest is counted. */
const maxNamed = 4;

/** Folders of which everything is private, to the last file. */
const privateTrees = ["runs", "agents", "attachments", "memory", "backups"];
/** The files of the two private folders that are secret by themselves: more than one lock for them. */
const secretFiles = ["endpoints.json", "bus-users.json", "commands-token"];

/** @param isFixing closes what is open, where that can be done */
export const privateCheck =
  (isFixing: boolean): Check =>
  ({ journalPath: journal }: Environment): Finding => {
    const name = "private";
    const open = [...openPaths(journal)];
    const failures = isFixing ? open.flatMap((path) => problemOfClosing(path)) : [];
    if (failures.length > 0)
      return {
        name,
        ok: "fail",
        detail: `can't be made private: ${failures.slice(0, maxNamed).join("; ")}`,
        remedy: `sudo chown -R "$USER" ${shellQuoted(journal)}, then: cortex doctor --fix`,
      };
    if (open.length > 0 && !isFixing)
      return {
        name,
        ok: "fail",
        detail: `other users of this machine can read ${listed(journal, open)}`,
        remedy: "cortex doctor --fix",
      };
    const did = open.length > 0 ? `made private: ${listed(journal, open)}; ` : "";
    if (isOpen(journal))
      return {
        name,
        ok: "warn",
        detail: `${did}other users of this machine can read the rest of ${journal}: your days, facets and personas`,
        remedy: `chmod go-rwx ${shellQuoted(journal)}`,
      };
    return {
      name,
      ok: "ok",
      detail: `${did}only you can read runs, agents, attachments, files saved by runs, .run and .state`,
    };
  };

/** Everything private that others can read, or write to. */
function* openPaths(journal: string): Generator<string> {
  const folders = [runtime(journal), state(journal)];
  const files = [
    ...secretFiles.map((file) => runtime(journal, file)),
    ...savedPaths(journal).map((path) => join(journal, path)),
  ];
  const settings = holdsSecrets(journal) ? [realpathSync(settingsPath(journal))] : [];
  yield* [...folders, ...files, ...settings].filter(isOpen);
  const trees = [...privateTrees, ...formerFolders(journal)];
  for (const tree of trees) yield* openBelow(join(journal, tree));
}

function* openBelow(path: string): Generator<string> {
  const stats = statsOf(path);
  if (!stats || stats.isSymbolicLink()) return;
  if ((stats.mode & forOthers) !== 0) yield path;
  if (!stats.isDirectory()) return;
  for (const name of namesIn(path)) yield* openBelow(join(path, name));
}

const formerFolders = (journal: string) =>
  namesIn(journal)
    .filter((name) => /^\d{8}$/.test(name))
    .map((day) => join(day, ".former"));

function isOpen(path: string): boolean {
  const stats = statsOf(path);
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & forOthers) !== 0;
}

/** Nothing of what has just gone. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // on a way that isn't one of folders, or that this user can't go: then others aren't let in by us
  }
}

function problemOfClosing(path: string): string[] {
  try {
    const stats = statsOf(path);
    if (stats) chmodSync(path, stats.mode & 0o7700);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Whether `cortex.json` holds a password, a key or a token, by the names that things have in it. */
function holdsSecrets(journal: string): boolean {
  try {
    return hasSecret(readSettings(journal));
  } catch {
    return namesSecret(journal); // the check of the settings says what is wrong with it
  }
}

/** Whether a file that can't be used as settings has a field whose name is that of a secret. */
function namesSecret(journal: string): boolean {
  try {
    const text = readFileSync(settingsPath(journal), "utf8").slice(0, 1024 * 1024);
    return [...text.matchAll(/"([^"\n]{1,64})"/g)].some(([, name = ""]) => isSecretName(name));
  } catch {
    return false;
  }
}

function hasSecret(value: unknown, name = ""): boolean {
  if (typeof value === "string") return value !== "" && (isSecretName(name) || /:\/\/[^/\s:]*:[^/\s@]+@/.test(value));
  if (Array.isArray(value)) return value.some((item) => hasSecret(item, name));
  // The key of a certificate is a file: its path is no secret.
  return isRecord(value) && Object.entries(value).some(([key, field]) => key !== "tls" && hasSecret(field, key));
}

function listed(journal: string, paths: string[]): string {
  const named = paths.slice(0, maxNamed).map((path) => relative(journal, path) || journal);
  const rest = paths.length - named.length;
  return `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** What a run's commands may see and write, and what they find in their environment. */
import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readSettings } from "../../journal/config/settings.ts";
import { secretsIn } from "../../journal/notes/guarded-paths.ts";
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Walls } from "../../sandbox/bubblewrap.ts";
import { hiddenPaths, realPathsOf } from "../../sandbox/hidden-paths.ts";

/** What of a journal is no run's business beside what holds secrets: other runs, other agents, their prompts and channels. */
const others = ["runs", "agents", "personas", "channels", "quarantine"];

/** @param folder, scratch real paths */
export function wallsOfRun(journal: string, folder: string, cwd: string, scratch: string): Walls {
  const isSecret = secretsIn(journal);
  const inJournal = readdirSync(journal).filter(
    (name) => others.includes(name) || name.startsWith(".") || isSecret(name),
  );
  const hidden = [...inJournal.map((name) => join(journal, name)), ...settingsFiles(journal), tmpdir(), "/var/tmp"];
  return {
    folder,
    cwd,
    scratch,
    hidden: [...hiddenPaths(homes()), ...hidden.flatMap(realPathsOf)],
    shown: realPathsOf(journal),
  };
}

/** The files of keys, tokens and passwords that the settings name. */
function settingsFiles(journal: string): string[] {
  try {
    return namedFiles(readSettings(journal)).map((path) => resolve(journal, path));
  } catch {
    return []; // such settings name nothing that is used
  }
}

function namedFiles(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namedFiles);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    typeof field === "string" && /(_file|^key|^nkey|^creds)$/.test(key) ? [field] : namedFiles(field),
  );
}

/** The environment of commands: nothing of ours but what everybody may know. @param isWalled then `/tmp` and what is in it are its own */
export function commandEnvironment(env: NodeJS.ProcessEnv, isWalled: boolean): Record<string, string> {
  const plain = plainEnvironment(env, ["LC_ALL", "LC_CTYPE", "USER", "LOGNAME"]);
  const open = { ...plain, TERM: "dumb", PATH: plain["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" };
  if (!isWalled) return open;
  const known = Object.entries(open).filter(([name]) => !/_proxy$/i.test(name));
  // Who commits, stands in the settings of git's user.
  const gitSettings = homes()
    .map((home) => join(home, ".gitconfig"))
    .find((path) => existsSync(path));
  return {
    ...Object.fromEntries(known),
    HOME: "/tmp/home",
    TMPDIR: "/tmp",
    ...(gitSettings !== undefined && { GIT_CONFIG_GLOBAL: gitSettings }),
  };
}

function homes(): string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}

/** Changes `cortex.json`, guarded by the revision that was read: who has read another changes nothing. */
import { hash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { hasCode } from "../../files/errors/errno.ts";
import { awaitFileLock } from "../../files/locks/file-lock.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { makePrivateFolders, runtime } from "./paths.ts";
import { checkSettingsText, readSettings, settingsPath } from "./settings.ts";

/** Somebody has changed the settings since they were read. */
export class SettingsChangedError extends Error {
  override name = "SettingsChangedError";
  readonly revision: string;
  constructor(revision: string) {
    super("cortex.json was changed since you read it");
    this.revision = revision;
  }
}

/** The file as it stands: its text, null where there is none, and what its content is called. */
export type SettingsFile = { text: string | null; revision: string };

/** Milliseconds for which another program may write. */
const lockMs = 5000;

/** Without a file, its revision is `none`. */
export function readSettingsFile(journal: string): SettingsFile {
  const { text } = current(journal);
  return { text, revision: revisionOf(text) };
}

/**
 * Replaces the settings as a whole.
 * @throws SettingsChangedError; SettingsError when they couldn't be used: then the file stays as it is
 */
export async function writeSettings(
  journal: string,
  revision: string,
  settings: Record<string, unknown>,
): Promise<SettingsFile> {
  return await changeFile(journal, (text) => {
    if (revisionOf(text) !== revision) throw new SettingsChangedError(revisionOf(text));
    return settings;
  });
}

/**
 * Sets `schedules.<persona>`, and leaves everything else as it is; without a file there is one afterwards.
 * @throws SettingsError when what stands there can't be used: then it stays as it is
 */
export const setSchedule = (journal: string, persona: string, isOn: boolean): Promise<void> =>
  setWithin(journal, "schedules", persona, isOn);

/** Sets `channels.<type>` as `setSchedule` does. @throws SettingsError also where these can't be used */
export const setChannel = (journal: string, type: string, settings: Record<string, unknown>): Promise<void> =>
  setWithin(journal, "channels", type, settings);

async function setWithin(journal: string, group: string, name: string, value: unknown): Promise<void> {
  readSettings(journal);
  await changeFile(journal, (text) => {
    const now: unknown = text === null ? {} : parseJson(text);
    const settings = isRecord(now) ? now : {};
    const former = isRecord(settings[group]) ? settings[group] : {};
    return { ...settings, [group]: { ...former, [name]: value } };
  });
}

async function changeFile(
  journal: string,
  change: (text: string | null) => Record<string, unknown>,
): Promise<SettingsFile> {
  makePrivateFolders(journal);
  using lock = await awaitFileLock(runtime(journal, "settings.lock"), lockMs);
  if (!lock) throw new Error("cortex.json is being written all the time: try again");
  const { path, text, mode } = current(journal);
  const changed = `${JSON.stringify(change(text), null, 2)}\n`;
  checkSettingsText(journal, changed);
  await replaceFile(path, changed, mode);
  return { text: changed, revision: revisionOf(changed) };
}

const revisionOf = (text: string | null) => (text === null ? "none" : hash("sha256", text, "hex").slice(0, 16));

/** A link stays one: the file that it leads to is replaced. */
function current(journal: string): { path: string; text: string | null; mode: number } {
  try {
    const path = realpathSync(settingsPath(journal));
    return { path, text: readFileSync(path, "utf8"), mode: statSync(path).mode & 0o777 };
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return { path: settingsPath(journal), text: null, mode: 0o600 };
  }
}

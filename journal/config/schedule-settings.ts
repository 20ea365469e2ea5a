/** Turns schedules on and off in `cortex.json`, and leaves everything else of it as it is. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { hasCode } from "../../files/errno.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { readSettings, settingsPath } from "./settings.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";

/**
 * Sets `schedules.<persona>`; without a file there is one afterwards.
 * @throws SettingsError when what stands there can't be used: then it stays as it is
 */
export async function setSchedule(journal: string, persona: string, isOn: boolean): Promise<void> {
  readSettings(journal);
  const { path, text, mode } = current(journal);
  const value: unknown = text === null ? {} : parseJson(text);
  const settings = isRecord(value) ? value : {};
  const schedules = isRecord(settings["schedules"]) ? settings["schedules"] : {};
  const changed = { ...settings, schedules: { ...schedules, [persona]: isOn } };
  await replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`, mode);
}

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

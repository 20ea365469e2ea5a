/** Keeps rules of "always": they go before those that `cortex.json` has. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import { readSettings, settingsPath } from "./settings.ts";

/** @throws SettingsError when the settings are broken: nothing is written then */
export async function keepRules(journal: string, rules: readonly PermissionRule[]): Promise<void> {
  const { permissions = [] } = readSettings(journal);
  const kept = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  const leading = permissions.slice(0, kept.size).map((rule) => JSON.stringify(rule));
  if (leading.length === kept.size && leading.every((rule) => kept.has(rule))) return;
  const others = permissions.filter((rule) => !kept.has(JSON.stringify(rule)));
  const path = settingsPath(journal);
  const isThere = existsSync(path);
  const value: unknown = isThere ? parseJson(readFileSync(path, "utf8")) : {};
  if (!isRecord(value)) return;
  const text = JSON.stringify({ ...value, permissions: [...kept.values(), ...others] }, null, 2);
  await replaceFile(isThere ? realpathSync(path) : path, `${text}\n`);
}

/** The unsaved changes of the settings, as a draft that outlives a reload. Pure. */
import type { Values } from "../forms/schema-fields.ts";
import { isRecord, jsonAs } from "../json/read-json.ts";

/** `base`: what was read before it was changed, and its revision. */
export type SettingsDraft = { revision: string; base: Values; mine: Values };

export const readSettingsDraft = (text: string): SettingsDraft | null => jsonAs(text, isDraft);

const isDraft = (value: unknown): value is SettingsDraft =>
  isRecord(value) && typeof value["revision"] === "string" && isRecord(value["base"]) && isRecord(value["mine"]);

/** Which fields differ, by their names. */
export function changedNames(base: Values, mine: Values): string[] {
  const names = new Set([...Object.keys(base), ...Object.keys(mine)]);
  return [...names].filter((name) => JSON.stringify(base[name]) !== JSON.stringify(mine[name]));
}

/** As they stand in the file. */
export const settingsText = (settings: Values): string => `${JSON.stringify(settings, null, 2)}\n`;

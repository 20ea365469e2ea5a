/** The unsaved changes of the settings, as a draft that outlives a reload. Pure. */
import type { Values } from "../forms/schema-fields.ts";

/** `base`: what was read before it was changed, and its revision. */
export type SettingsDraft = { revision: string; base: Values; mine: Values };

export function readSettingsDraft(text: string): SettingsDraft | null {
  if (text === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Values =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const isDraft = (value: unknown): value is SettingsDraft =>
  isObject(value) && typeof value["revision"] === "string" && isObject(value["base"]) && isObject(value["mine"]);

/** Which fields differ, by their names. */
export function changedNames(base: Values, mine: Values): string[] {
  const names = new Set([...Object.keys(base), ...Object.keys(mine)]);
  return [...names].filter((name) => JSON.stringify(base[name]) !== JSON.stringify(mine[name]));
}

/** As they stand in the file. */
export const settingsText = (settings: Values): string => `${JSON.stringify(settings, null, 2)}\n`;

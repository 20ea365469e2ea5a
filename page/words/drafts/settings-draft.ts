/** Settings as they are compared and written. Pure. */
import type { Values } from "../forms/schema-fields.ts";

/** Which fields differ, by their names. */
export function changedNames(base: Values, mine: Values): string[] {
  const names = new Set([...Object.keys(base), ...Object.keys(mine)]);
  return [...names].filter((name) => JSON.stringify(base[name]) !== JSON.stringify(mine[name]));
}

/** As they stand in the file. */
export const settingsText = (settings: Values): string => `${JSON.stringify(settings, null, 2)}\n`;

/** The unsaved changes of a persona, as a draft that outlives a reload. Pure. */
import type { Values } from "../forms/schema-fields.ts";
import { isRecord, jsonAs } from "../json/read-json.ts";

export type PersonaText = { instruction: string; settings: Values };

/** `base`: what was read before it was changed, and the version that it is. */
export type PersonaDraft = { version: string; base: PersonaText; mine: PersonaText };

export const readPersonaDraft = (text: string): PersonaDraft | null => jsonAs(text, isDraft);

const isText = (value: unknown): value is PersonaText =>
  isRecord(value) && typeof value["instruction"] === "string" && isRecord(value["settings"]);

const isDraft = (value: unknown): value is PersonaDraft =>
  isRecord(value) && typeof value["version"] === "string" && isText(value["base"]) && isText(value["mine"]);

export const isSame = (one: PersonaText, other: PersonaText): boolean =>
  trimmed(one.instruction) === trimmed(other.instruction) &&
  settingsText(one.settings) === settingsText(other.settings);

/** An end of line at the end is no change: one is added when it is saved. */
const trimmed = (text: string) => text.replace(/\n$/, "");

export const settingsText = (settings: Values): string => JSON.stringify(settings, null, 2);

/** How many settings differ, and the text as one: `2 changes`. */
export function changesOf(before: PersonaText, after: PersonaText): number {
  const names = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before.settings[name]) !== JSON.stringify(after.settings[name]),
  );
  return changed.length + (trimmed(before.instruction) === trimmed(after.instruction) ? 0 : 1);
}

/** About how many tokens a text is: four characters each. */
export const aboutTokens = (text: string): number => Math.ceil(text.length / 4);

/** The unsaved changes of a persona, as a draft that outlives a reload. Pure. */
import type { Values } from "../forms/schema-fields.ts";

export type PersonaText = { instruction: string; settings: Values };

/** `base`: what was read before it was changed, and the version that it is. */
export type PersonaDraft = { version: string; base: PersonaText; mine: PersonaText };

export function readDraft(text: string): PersonaDraft | null {
  if (text === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown): value is PersonaText =>
  value !== null &&
  typeof value === "object" &&
  "instruction" in value &&
  typeof value.instruction === "string" &&
  "settings" in value &&
  value.settings !== null &&
  typeof value.settings === "object" &&
  !Array.isArray(value.settings);

const isDraft = (value: unknown): value is PersonaDraft =>
  value !== null &&
  typeof value === "object" &&
  "version" in value &&
  typeof value.version === "string" &&
  "base" in value &&
  isText(value.base) &&
  "mine" in value &&
  isText(value.mine);

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

/** The unsaved changes of a text, with what was read before. Pure. */

export type NoteDraft = { version: string | null; base: string; text: string };

export function noteDraft(text: string): NoteDraft | null {
  if (text === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

const isDraft = (value: unknown): value is NoteDraft =>
  value !== null &&
  typeof value === "object" &&
  "version" in value &&
  (value.version === null || typeof value.version === "string") &&
  "base" in value &&
  typeof value.base === "string" &&
  "text" in value &&
  typeof value.text === "string";

/** JSON as it comes, from a file, a model or what was kept: nothing of it is taken for granted. Pure. */

/** Whether a value is a JSON object: not null, not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field as text: what is anything else is nothing. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads a text whose value has to fit; null where it doesn't, or where the text is no JSON. */
export function jsonAs<Value>(text: string, fits: (value: unknown) => value is Value): Value | null {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : null;
  } catch {
    return null;
  }
}

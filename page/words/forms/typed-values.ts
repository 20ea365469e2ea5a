/** Values as people type them into a field: read, or what is wrong with them. Pure. */

export type Read = { value: unknown } | { problem: string };

/** A number; nothing is no value. A comma is taken for a point. */
export function numberIn(text: string, isWhole: boolean): Read {
  const trimmed = text.trim();
  if (trimmed === "") return { value: undefined };
  const plain = /^[-+]?\d+,\d+$/.test(trimmed) ? trimmed.replace(",", ".") : trimmed;
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain)) return { problem: "This is not a number" };
  const value = Number(plain);
  if (!Number.isFinite(value)) return { problem: "This number is too large" };
  return isWhole && !Number.isInteger(value) ? { problem: "This has to be a whole number" } : { value };
}

/** JSON; nothing is no value. */
export function jsonIn(text: string): Read {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

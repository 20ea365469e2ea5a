/** Values of bounded depth, where a library has read the JSON: what is nested deeper is cut, before anything walks it. */
import { JsonDepthError, maxJsonDepth, parseJson } from "./parse-json.ts";

/** The note in place of a part that is nested too deep. */
export const tooDeep = "[nested too deep]";

/** The same value, or a copy in which parts below so many levels are replaced by a note. */
export function cutDepth<T>(value: T, most: number = maxJsonDepth): T {
  return isDeeper(value, most) ? (cut(value, most) as T) : value;
}

/** Whether a value has more levels of arrays and objects than that. Goes no deeper itself, so a circle ends it too. */
export function isDeeper(value: unknown, most: number = maxJsonDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, most - 1)) return true;
  return false;
}

/**
 * JSON in which parts that are nested too deep are replaced by a note: for answers that somebody waits for.
 * @throws SyntaxError when it is no JSON
 */
export function parseJsonCut(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonDepthError)) throw error;
    return cutDepth(JSON.parse(text));
  }
}

function cut(value: unknown, most: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (most === 0) return tooDeep;
  if (Array.isArray(value)) return value.map((inner) => cut(inner, most - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner, most - 1)]));
}

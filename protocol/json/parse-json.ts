/**
 * JSON from outside becomes a value of bounded depth. `JSON.parse` takes any depth, and what it returns then ends in a
 * RangeError wherever it is walked or written: a line of 14 KB is enough. So the text is looked at first.
 */

/** Levels of arrays and objects that anybody may send us. */
export const maxJsonDepth = 64;

/** Levels in a part that others are put around: the arguments of a tool's call. */
export const maxPartJsonDepth = 48;

/** Levels in what we write ourselves and read again: what came from outside stands in it, wrapped. */
export const maxOwnJsonDepth = 128;

/** JSON that is nested too deep. A SyntaxError, as it is for those who only ask whether a text is JSON. */
export class JsonDepthError extends SyntaxError {
  override name = "JsonDepthError";
  constructor(most: number) {
    super(`nested deeper than the ${most} levels that are read`);
  }
}

/**
 * `JSON.parse` for texts that others wrote.
 * @throws SyntaxError when it is no JSON, JsonDepthError when it is nested too deep
 */
export function parseJson(text: string, most = maxJsonDepth): unknown {
  if (isTextDeeper(text, most)) throw new JsonDepthError(most);
  return JSON.parse(text);
}

/** The same for files and messages that we wrote ourselves. */
export const parseOwnJson = (text: string): unknown => parseJson(text, maxOwnJsonDepth);

/** The same, undefined for what can't be read: for callers that pass over it, or judge the value by a schema that says so. */
export const tryParseJson = (text: string): unknown => orUndefined(parseJson, text);
export const tryParseOwnJson = (text: string): unknown => orUndefined(parseOwnJson, text);

function orUndefined(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a line of a file that holds an object a line; undefined for one that is torn, or is something else. Lines that can't
 * be an object are told by their ends: a SyntaxError each would take seconds for a file of blank lines.
 */
export function parseLine(line: string, most = maxJsonDepth): unknown {
  const text = line.trim();
  if (!text.startsWith("{") || !text.endsWith("}")) return undefined;
  try {
    return parseJson(text, most);
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether a JSON text opens more levels than that at once. Brackets in strings don't count; no JSON is judged too. */
export function isTextDeeper(text: string, most: number): boolean {
  if (!hasMoreBrackets(text, most)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at + 1);
      if (at < 0) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > most) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** Whether a text has more opening brackets than that, in strings too. Most lines have a handful: they are looked through at the speed of `indexOf`. */
function hasMoreBrackets(text: string, most: number): boolean {
  // As many have to close again.
  if (text.length <= 2 * most) return false;
  let count = 0;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > most) return true;
  return false;
}

/** Position of the quote that ends a string, or -1. Each backslash is looked at once. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > start && text.charCodeAt(at - escapes - 1) === backslash) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

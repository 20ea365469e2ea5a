/** The arguments of a tool call, as an object: models send JSON text, an object, nothing at all, or something broken. */
import { isRecord } from "../protocol/json/json-object.ts";
import { cutDepth, isDeeper } from "../protocol/json/cut-depth.ts";
import { maxPartJsonDepth, parseJson } from "../protocol/json/parse-json.ts";

/** The arguments as an object; an empty text has none. `undefined`: not a JSON object, or one that is nested too deep. */
export function readArguments(value: unknown): Record<string, unknown> | undefined {
  if (isRecord(value)) return isDeeper(value, maxPartJsonDepth) ? undefined : value;
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") return undefined;
  if (value.trim() === "") return {};
  try {
    const parsed: unknown = parseJson(value, maxPartJsonDepth);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** For a conversation: providers accept nothing but an object, so what is none is wrapped, and the model sees what it wrote. */
export function asArguments(value: unknown): Record<string, unknown> {
  return readArguments(value) ?? { unparsed: cutDepth(value, maxPartJsonDepth - 1) };
}

/** Tools as OpenAI takes them: names, ids and schemas within its bounds. Pure. */
import { isRecord } from "../../../protocol/json/json-object.ts";
import { shortHash } from "../../provider/short-hash.ts";

type Schema = Record<string, unknown>;

/** From OpenAI's reference: function names and call ids. */
const maxLength = 64;

/** Names on the wire, and back. A history may hold names that no tool has: models invent them, other providers take more. */
export class ToolNames {
  readonly #own = new Map<string, string>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#own.set(wireName(name), name);
  }

  /** The tool that a model means. */
  own(name: string): string {
    return this.#own.get(name) ?? name;
  }
}

/** A name of letters, digits, `_` and `-`. One that is changed gets a mark of its own, so that two stay two. */
export function wireName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  return `${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength - 9)}_${shortHash(name, 8)}`;
}

/** Other providers' ids may be longer. */
export function wireId(id: string): string {
  return id.length <= maxLength ? id : `call_${shortHash(id, 32)}`;
}

/** Keywords that are refused at the top of a schema. */
const alternatives = ["anyOf", "oneOf", "allOf"];
const refusedAtTop = [...alternatives, "enum", "not"];

/**
 * A schema that is accepted: an object at its top, which has properties and no alternatives, and arrays that say of what.
 * Alternatives become optional properties: the tool itself says what is missing.
 */
export function wireSchema(schema: Schema): Schema {
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !refusedAtTop.includes(key)));
  const ofAlternatives = alternatives.flatMap((key) => arrayOf(schema[key])).map((one) => propertiesOf(one));
  const properties = Object.assign({}, ...ofAlternatives, propertiesOf(schema)) as Schema;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, withItems(value)])),
  };
}

function withItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withItems);
  if (!isRecord(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withItems(entry)]));
  const isArray = value["type"] === "array" || (Array.isArray(value["type"]) && value["type"].includes("array"));
  return isArray && !("items" in value) && !("prefixItems" in value) ? { ...inner, items: {} } : inner;
}

function propertiesOf(schema: unknown): Schema {
  return isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Translates a tool's JSON Schema into one that Google's API accepts. Constraints that the API can't express go into the
 * description, where the model reads them; the tool checks its arguments anyway. Pure.
 *
 * The API accepts `type`, `description`, `enum` of text, `properties`, `required`, `additionalProperties`, `items`, `minItems`,
 * `maxItems`, `minimum`, `maximum`, `format` of dates, and `anyOf` with nothing beside it; `$ref` alone, without cycles. Any
 * other keyword, anywhere in any tool, and it refuses the whole call.
 */
import { isRecord } from "../../protocol/json/json-object.ts";
import {
  bothSchemas,
  branchesOf,
  exclusiveBound,
  isFiniteNumber,
  namesIn,
  recordIn,
  type Schema,
  type TypeName,
  typesOf,
  withBoth,
  wordOf,
  wordsOf,
} from "./read-schema.ts";
import { describeSchema } from "./schema-hints.ts";

/** Limits for a schema, which may be of any size and grows when its references are followed. Nodes beyond them become plain objects. */
const maxNodes = 2_000;
const maxDepth = 24;

/** The parameters of a tool, or nothing for a tool that takes none. */
export function googleSchema(schema: Schema): Schema | undefined {
  const translated = new Translation(schema).node(schema, [], 0);
  const root = mergedObject(translated === false ? {} : translated);
  return Object.keys(root.properties).length > 0 ? root : undefined;
}

/** The references that were followed to a node. */
type Trail = readonly string[];

class Translation {
  readonly #root: Schema;
  #nodes = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** `false`: no value is allowed there. */
  node(given: unknown, trail: Trail, depth: number): Schema | false {
    if (given === false) return false;
    this.#nodes++;
    if (this.#nodes > maxNodes || depth > maxDepth) return { type: "object" };
    const { schema, trail: inner } = this.#flat(isRecord(given) ? given : {}, trail);
    const branches = branchesOf(schema);
    if (branches.length > 0) return this.#choice(schema, branches, inner, depth);
    const types = typesOf(schema);
    if (types.names.length === 0 && types.isNullable) return { type: "null" };
    if (types.names.length === 1 && types.names[0]) {
      const built = this.#typed(types.names[0], schema, inner, depth);
      return types.isNullable ? { ...built, type: [built["type"], "null"] } : built;
    }
    const names = types.names.length > 0 ? types.names : anyType;
    const anyOf: Schema[] = names.map((name) => this.#typed(name, schema, inner, depth));
    return { anyOf: types.isNullable ? [...anyOf, { type: "null" }] : anyOf };
  }

  /** Follows `$ref` and takes `allOf` together, until neither is left. */
  #flat(schema: Schema, trail: Trail): { schema: Schema; trail: Trail } {
    const { $ref: ref, allOf, ...own } = schema;
    let flat: Schema = {};
    let inner = trail;
    const add = (part: Schema) => {
      const found = this.#flat(part, inner);
      inner = found.trail;
      flat = bothSchemas(flat, found.schema);
    };
    if (typeof ref === "string") {
      const target = this.#target(ref);
      const isAgain = trail.includes(ref) || trail.length > maxDepth;
      if (isAgain)
        flat = { ...(target["type"] !== undefined && { type: target["type"] }), description: "The same again." };
      else {
        inner = [...trail, ref];
        add(target);
      }
    }
    for (const part of Array.isArray(allOf) ? allOf.filter(isRecord) : []) {
      this.#nodes++;
      if (this.#nodes > maxNodes) break;
      add(part);
    }
    flat = bothSchemas(flat, own);
    return { schema: flat, trail: inner };
  }

  /** The schema that a pointer such as `#/$defs/node` means; one that allows anything where there is none. */
  #target(ref: string): Schema {
    if (!ref.startsWith("#")) return {};
    let at: unknown = this.#root;
    for (const key of ref.split("/").slice(1)) {
      const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
      at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined;
    }
    return isRecord(at) ? at : {};
  }

  #choice(schema: Schema, branches: Schema[], trail: Trail, depth: number): Schema | false {
    const { anyOf: _anyOf, oneOf: _oneOf, ...beside } = schema;
    const isNull = (branch: Schema) => branch["type"] === "null" || branch["const"] === null;
    const values = branches.filter((branch) => !isNull(branch));
    const isNullable = values.length < branches.length;
    const words = values.map(wordOf);
    const isEnum = words.length > 0 && words.every((word) => word !== undefined);
    const choices = isEnum
      ? [{ ...beside, type: "string", enum: words }]
      : values.map((branch) => withBoth(branch, beside));
    const anyOf = choices.map((choice) => this.node(choice, trail, depth + 1)).filter((each) => each !== false);
    const flat = distinct(anyOf.flatMap(choicesOf));
    const [only] = flat;
    if (!only) return isNullable ? { type: "null" } : false;
    if (flat.length > 1) return { anyOf: isNullable ? distinct([...flat, { type: "null" }]) : flat };
    return isNullable && typeof only["type"] === "string" ? { ...only, type: [only["type"], "null"] } : only;
  }

  #typed(type: TypeName, schema: Schema, trail: Trail, depth: number): Schema {
    const words = wordsOf(schema);
    const described = describeSchema(schema, type);
    return {
      type,
      ...(described !== "" && { description: described }),
      ...(type === "string" && words && { enum: words }),
      ...(type === "string" && schema["format"] === "date-time" && { format: "date-time" }),
      ...((type === "number" || type === "integer") && bounds(schema, type)),
      ...(type === "object" && this.#object(schema, trail, depth)),
      ...(type === "array" && this.#array(schema, trail, depth)),
    };
  }

  #object(schema: Schema, trail: Trail, depth: number): Schema {
    const entries = Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {}).flatMap(
      ([name, value]): [string, Schema][] => {
        const translated = this.node(value, trail, depth + 1);
        return translated === false ? [] : [[name, translated]];
      },
    );
    const names = entries.map(([name]) => name);
    // A name that isn't there is refused.
    const required = namesIn(schema["required"]).filter((name) => names.includes(name));
    const rest = schema["additionalProperties"];
    const others = isRecord(rest) && Object.keys(rest).length > 0 ? this.node(rest, trail, depth + 1) : false;
    return {
      ...(entries.length > 0 && { properties: Object.fromEntries(entries) }),
      ...(required.length > 0 && { required }),
      ...(others !== false && { additionalProperties: others }),
    };
  }

  #array(schema: Schema, trail: Trail, depth: number): Schema {
    const tuple = [schema["prefixItems"], schema["items"]].find((items) => Array.isArray(items));
    // The API has no tuples: each place may hold what any place holds.
    const given = tuple ? { anyOf: tuple } : (schema["items"] ?? {});
    const items = this.node(given, trail, depth + 1);
    const min = countOf(schema["minItems"]) ?? tuple?.length;
    const max = countOf(schema["maxItems"]) ?? tuple?.length;
    return {
      items: items === false ? { type: "string" } : items,
      ...(min !== undefined && min > 0 && { minItems: min }),
      ...(max !== undefined && { maxItems: max }),
    };
  }
}

/** The types of a value whose schema names none. Not an array: its items would need a type. */
const anyType = ["string", "number", "boolean", "object"] as const;

/** `more than 3` is 4 for whole numbers; for others the description says it. */
function bounds(schema: Schema, type: TypeName): Schema {
  const above = exclusiveBound(schema, "exclusiveMinimum", "minimum");
  const below = exclusiveBound(schema, "exclusiveMaximum", "maximum");
  const isWhole = type === "integer";
  const minimum = above === undefined ? schema["minimum"] : isWhole ? Math.floor(above) + 1 : above;
  const maximum = below === undefined ? schema["maximum"] : isWhole ? Math.ceil(below) - 1 : below;
  return { ...(isFiniteNumber(minimum) && { minimum }), ...(isFiniteNumber(maximum) && { maximum }) };
}

/** The parameters have to be one object: a choice of several becomes one with the fields of all, none more required than in all. */
function mergedObject(schema: Schema): Schema & { properties: Schema } {
  const objects = choicesOf(schema).filter((branch) => [branch["type"]].flat().includes("object"));
  const properties = Object.fromEntries(objects.flatMap((branch) => Object.entries(recordIn(branch["properties"]))));
  const required = namesIn(objects[0]?.["required"]).filter((name) =>
    objects.every((branch) => namesIn(branch["required"]).includes(name)),
  );
  const description = objects.length === 1 ? objects[0]?.["description"] : undefined;
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties,
    ...(required.length > 0 && { required }),
  };
}

/** A translated choice has nothing beside it. */
const choicesOf = (schema: Schema): Schema[] =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [schema];

const countOf = (value: unknown): number | undefined =>
  isFiniteNumber(value) && value >= 0 ? Math.floor(value) : undefined;

function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

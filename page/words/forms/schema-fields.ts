/** A JSON Schema as the fields of a form. What a form has no field for is edited as JSON. Pure. */
import { labelOf } from "./field-labels.ts";
import { isRecord } from "../json/read-json.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Values = Readonly<Record<string, unknown>>;

export type Shape =
  | { kind: "text"; isLong: boolean }
  | { kind: "number"; isWhole: boolean }
  | { kind: "choice"; options: readonly string[] }
  | { kind: "yes-no" }
  | { kind: "words"; options: readonly string[] }
  | { kind: "group"; fields: readonly Field[] }
  | { kind: "raw" };

export type Field = {
  name: string;
  label: string;
  /** The unit of a number: `s`, `$`, `MB`. */
  unit: string;
  description: string;
  isRequired: boolean;
  /** The value that holds where nothing is said; undefined where the schema doesn't tell. */
  fallback: unknown;
  shape: Shape;
};

/** Groups within groups beyond this are edited as JSON. */
const deepest = 3;

/** Texts that may be this long get room for several lines. */
const longFrom = 1000;
const longNames = /^(?:text|content|prompt|body|message|instructions?|input|script|command|code|old_text|new_text)$/;

/** The fields of an object's schema, also those that only its value has. */
export function fieldsOf(schema: JsonSchema, values: Values): Field[] {
  return fieldsIn(resolved(schema, schema), values, schema, 0);
}

/** The same values with one changed; undefined takes it away. */
export function withField(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = values;
  if (value === undefined) return others;
  return Object.hasOwn(values, name) ? { ...values, [name]: value } : { ...others, [name]: value };
}

/** Reads the value under a name, and never what every object has. */
export function at<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The values as an object; nothing of what is none. */
export const valuesOf = (value: unknown): Values => (isRecord(value) ? value : {});

function fieldsIn(node: JsonSchema, values: Values, root: JsonSchema, depth: number): Field[] {
  const properties = isRecord(node["properties"]) ? node["properties"] : {};
  const required = new Set(Array.isArray(node["required"]) ? node["required"] : []);
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(properties, name));
  return [...Object.keys(properties), ...unknown].map((name) => {
    const property = at(properties, name);
    const own = isRecord(property) ? property : {};
    const fit = resolved(own, root);
    const { label, unit } = labelOf(name);
    const description = own["description"] ?? fit["description"];
    return {
      name,
      label,
      unit,
      description: typeof description === "string" ? description : "",
      isRequired: required.has(name),
      fallback: own["default"] ?? fit["default"],
      shape: shapeOf(own, { name, value: at(values, name), root, depth }),
    };
  });
}

type FieldPlace = { name: string; value: unknown; root: JsonSchema; depth: number };

/** A field for a value of a schema: one that can show the value that there is. */
function shapeOf(schema: JsonSchema, place: FieldPlace): Shape {
  const { value, root } = place;
  const kinds = alternativesOf(schema, root).map((one) => plainShape(one, place));
  const choices = kinds.filter((shape) => shape.kind === "choice");
  if (kinds.length > 0 && choices.length === kinds.length) {
    const options = [...new Set(choices.flatMap((shape) => shape.options))];
    return fitting({ kind: "choice", options }, value);
  }
  // A free text takes what a choice beside it would.
  const order = ["text", "words", "number", "yes-no", "choice", "group", "raw"];
  const sorted = kinds.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  return sorted.find((shape) => fitting(shape, value).kind !== "raw") ?? { kind: "raw" };
}

/** Lists the alternatives of a value, but for nothing. */
function alternativesOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const node = resolved(schema, root);
  const among = node["anyOf"] ?? node["oneOf"];
  const all = Array.isArray(among) ? among.filter(isRecord).flatMap((one) => alternativesOf(one, root)) : [node];
  return all.flatMap(eachType).filter(({ type }) => type !== "null");
}

/** `"type": ["string", "null"]` as two. */
function eachType(node: JsonSchema): JsonSchema[] {
  const { type } = node;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...node, type: one })) : [node];
}

function plainShape(node: JsonSchema, { name, value, root, depth }: FieldPlace): Shape {
  const options = optionsOf(node);
  if (options) return { kind: "choice", options };
  switch (node["type"]) {
    case "string":
      return { kind: "text", isLong: isLong(node, name, value) };
    case "number":
    case "integer":
      return { kind: "number", isWhole: node["type"] === "integer" };
    case "boolean":
      return { kind: "yes-no" };
    case "array": {
      const items = isRecord(node["items"]) ? resolved(node["items"], root) : {};
      const isText = items["type"] === "string";
      return isText ? { kind: "words", options: optionsOf(items) ?? [] } : { kind: "raw" };
    }
    case "object": {
      if (depth >= deepest || !isRecord(node["properties"])) return { kind: "raw" };
      return { kind: "group", fields: fieldsIn(node, valuesOf(value), root, depth + 1) };
    }
    default:
      return { kind: "raw" };
  }
}

function isLong(node: JsonSchema, name: string, value: unknown): boolean {
  if (typeof value === "string" && value.includes("\n")) return true;
  if (node["pattern"] !== undefined || node["format"] !== undefined) return false;
  const { maxLength } = node;
  return typeof maxLength === "number" ? maxLength >= longFrom && maxLength !== 4096 : longNames.test(name);
}

function optionsOf(node: JsonSchema): string[] | null {
  const { enum: options = "const" in node ? [node["const"]] : null } = node;
  return Array.isArray(options) && options.every((one) => typeof one === "string") ? options : null;
}

/** The shape, if it can show the value; else JSON. */
function fitting(shape: Shape, value: unknown): Shape {
  if (value === undefined || value === null) return shape;
  const fits: Record<Shape["kind"], boolean> = {
    text: typeof value === "string",
    number: typeof value === "number",
    choice: shape.kind === "choice" && typeof value === "string" && shape.options.includes(value),
    "yes-no": typeof value === "boolean",
    words: Array.isArray(value) && value.every((one) => typeof one === "string"),
    group: isRecord(value),
    raw: true,
  };
  return fits[shape.kind] ? shape : { kind: "raw" };
}

/** The schema that a reference leads to; what stands beside the reference goes before. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let node = schema;
  // A circle of references alone ends somewhere.
  for (let hops = 0; typeof node["$ref"] === "string" && hops < 20; hops++) {
    const { $ref, ...beside } = node;
    const target = definitionOf(String($ref), root);
    node = { ...target, ...beside };
  }
  const { allOf } = node;
  if (!Array.isArray(allOf) || allOf.length !== 1 || !isRecord(allOf[0])) return node;
  const { allOf: _, ...beside } = node;
  return { ...resolved(allOf[0], root), ...beside };
}

function definitionOf(reference: string, root: JsonSchema): JsonSchema {
  const path = reference.replace(/^#\/?/, "").split("/").filter(Boolean);
  let node: unknown = root;
  for (const step of path) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    node = isRecord(node) ? at(node, name) : undefined;
  }
  return isRecord(node) ? node : {};
}

/** What a JSON Schema says that Google's API has no word for, in words for the model. Pure. */

export type Schema = Record<string, unknown>;

export const typeNames = ["string", "number", "integer", "boolean", "object", "array"] as const;
export type TypeName = (typeof typeNames)[number];

/** The description, and behind it what the API has no word for. */
export function describe(schema: Schema, type: TypeName): string {
  const given = typeof schema["description"] === "string" ? schema["description"].trim() : "";
  const hints = [
    ...(valuesOf(schema).length > 0 && !(type === "string" && wordsOf(schema))
      ? [`one of: ${valuesOf(schema).map(shown).join(", ")}`]
      : []),
    ...hint("default", schema["default"]),
    ...(type === "string" ? textHints(schema) : []),
    ...(type === "number" || type === "integer" ? numberHints(schema, type) : []),
    ...(type === "array" && schema["uniqueItems"] === true ? ["none twice"] : []),
  ];
  return [given, ...(hints.length > 0 ? [`(${hints.join("; ")})`] : [])].filter((text) => text !== "").join(" ");
}

function textHints(schema: Schema): string[] {
  return [
    ...(schema["format"] === "date-time" ? [] : hint("format", schema["format"])),
    ...hint("pattern", schema["pattern"]),
    ...hint("shortest length", schema["minLength"]),
    ...hint("greatest length", schema["maxLength"]),
  ];
}

function numberHints(schema: Schema, type: TypeName): string[] {
  return [
    ...(type === "number" ? hint("more than", exclusive(schema, "exclusiveMinimum", "minimum")) : []),
    ...(type === "number" ? hint("less than", exclusive(schema, "exclusiveMaximum", "maximum")) : []),
    ...hint("a multiple of", schema["multipleOf"]),
  ];
}

const hint = (name: string, value: unknown): string[] => (value === undefined ? [] : [`${name}: ${shown(value)}`]);

const shown = (value: unknown): string =>
  (typeof value === "string" && value !== "" ? value : JSON.stringify(value)).slice(0, 200);

/** The values that are allowed, where they are told one by one. */
export function valuesOf(schema: Schema): unknown[] {
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

/** The values to choose from, where the API can be told: text, and none of it empty. */
export function wordsOf(schema: Schema): string[] | undefined {
  const values = valuesOf(schema).filter((value) => value !== null);
  const words = values.filter((value): value is string => typeof value === "string" && value !== "");
  return words.length > 0 && words.length === values.length ? words : undefined;
}

/** In older drafts the bound stands beside, and this says `true`. */
export function exclusive(schema: Schema, name: string, bound: string): number | undefined {
  const value = schema[name] === true ? schema[bound] : schema[name];
  return isFiniteNumber(value) ? value : undefined;
}

export const isFiniteNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

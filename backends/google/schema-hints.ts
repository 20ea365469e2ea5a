/** Constraints of a JSON Schema that Google's API can't express, as hints in the description for the model. Pure. */
import { exclusiveBound, type Schema, type TypeName, valuesOf, wordsOf } from "./read-schema.ts";

/** The description, followed by the constraints that the API can't express. */
export function describeSchema(schema: Schema, type: TypeName): string {
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
    ...(type === "number" ? hint("more than", exclusiveBound(schema, "exclusiveMinimum", "minimum")) : []),
    ...(type === "number" ? hint("less than", exclusiveBound(schema, "exclusiveMaximum", "maximum")) : []),
    ...hint("a multiple of", schema["multipleOf"]),
  ];
}

const hint = (name: string, value: unknown): string[] => (value === undefined ? [] : [`${name}: ${shown(value)}`]);

const shown = (value: unknown): string =>
  (typeof value === "string" && value !== "" ? value : JSON.stringify(value)).slice(0, 200);

/** Reading a JSON Schema: its types, values and choices, and two schemas taken together. Pure. */
import { isRecord } from "../../protocol/json/json-object.ts";

export type Schema = Record<string, unknown>;

export const typeNames = ["string", "number", "integer", "boolean", "object", "array"] as const;
export type TypeName = (typeof typeNames)[number];

/** Two schemas that both have to hold, as one. Where both set the same field, the second is nearer and wins. */
export function bothSchemas(first: Schema, second: Schema): Schema {
  const properties = { ...recordIn(first["properties"]), ...recordIn(second["properties"]) };
  const required = [...new Set([...namesIn(first["required"]), ...namesIn(second["required"])])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** A branch together with the fields beside the choice: the description of either may be the one that explains it. */
export function withBoth(branch: Schema, beside: Schema): Schema {
  const descriptions = [beside["description"], branch["description"]].filter((text) => typeof text === "string");
  return { ...bothSchemas(branch, beside), ...(descriptions.length > 0 && { description: descriptions.join(" ") }) };
}

/** Branches to choose from. None where one only requires or forbids fields: the API can't express it. */
export function branchesOf(schema: Schema): Schema[] {
  const choice = [schema["anyOf"], schema["oneOf"]].find((each) => Array.isArray(each)) ?? [];
  const branches = choice.filter(isRecord);
  const says = ["$ref", "allOf", "anyOf", "oneOf", "type", "const", "enum", "properties", "items", "prefixItems"];
  return branches.every((branch) => says.some((word) => Object.hasOwn(branch, word))) ? branches : [];
}

export function typesOf(schema: Schema): { names: TypeName[]; isNullable: boolean } {
  const given = [schema["type"]].flat();
  const names = typeNames.filter((name) => given.includes(name));
  const isNullable = given.includes("null") || schema["nullable"] === true || valuesOf(schema).includes(null);
  if (names.length > 0)
    return { names: names.includes("number") ? names.filter((name) => name !== "integer") : names, isNullable };
  return { names: typeBy(schema), isNullable };
}

/** The types that a schema implies without naming one. */
function typeBy(schema: Schema): TypeName[] {
  if (isRecord(schema["properties"]) || isRecord(schema["additionalProperties"])) return ["object"];
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return ["array"];
  const values = valuesOf(schema).filter((value) => value !== null);
  return typeNames.filter((name) => name !== "integer" && values.some((value) => typeof value === name));
}

/** The single text that a branch allows, if it says nothing else. */
export function wordOf(branch: Schema): string | undefined {
  const isPlain = Object.keys(branch).every((key) => ["const", "enum", "type", "title"].includes(key));
  const words = isPlain ? wordsOf(branch) : undefined;
  return words?.length === 1 ? words[0] : undefined;
}

/** The allowed values, where a schema lists them. */
export function valuesOf(schema: Schema): unknown[] {
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

/** The allowed values where the API can express them: texts, none of them empty. */
export function wordsOf(schema: Schema): string[] | undefined {
  const values = valuesOf(schema).filter((value) => value !== null);
  const words = values.filter((value): value is string => typeof value === "string" && value !== "");
  return words.length > 0 && words.length === values.length ? words : undefined;
}

/** An exclusive bound. In older drafts the field is `true`, and the bound is in the plain field beside it. */
export function exclusiveBound(schema: Schema, name: string, bound: string): number | undefined {
  const value = schema[name] === true ? schema[bound] : schema[name];
  return isFiniteNumber(value) ? value : undefined;
}

export const isFiniteNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export const recordIn = (value: unknown): Schema => (isRecord(value) ? value : {});

export const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

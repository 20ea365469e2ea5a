/** Keys that a schema doesn't know: a misspelt limit is no limit, so whoever wrote it is told the name that was meant. */
import { z } from "zod";
import { isRecord } from "../json/json-object.ts";
import { nearestName } from "./nearest-name.ts";

/** So many known names are listed where none is near. */
const maxListed = 12;

/** One line for each key that the schema doesn't know, at any depth that it describes. */
export function unknownKeys(schema: z.ZodType, value: unknown, path = ""): string[] {
  if (schema instanceof z.ZodOptional) return unknownKeys(schema.unwrap() as z.ZodType, value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item, index) => unknownKeys(schema.element as z.ZodType, item, `${path}${index}.`));
  if (!isRecord(value)) return [];
  if (schema instanceof z.ZodRecord) {
    const inner = schema.valueType as z.ZodType;
    return Object.entries(value).flatMap(([key, field]) => unknownKeys(inner, field, `${path}${key}.`));
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Record<string, z.ZodType> = schema.shape;
  // An object of which nothing is described: any key may stand in it.
  if (Object.keys(shape).length === 0) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known ? unknownKeys(known, field, `${path}${key}.`) : [`unknown key "${path}${key}"${hint(key, shape)}`];
  });
}

function hint(key: string, shape: Record<string, z.ZodType>): string {
  const names = Object.keys(shape);
  const nearest = nearestName(key, names) ?? within(key, shape);
  if (nearest !== null) return `: did you mean "${nearest}"?`;
  return names.length <= maxListed ? `: known keys are ${names.join(", ")}` : "";
}

/** The key one level deeper, where exactly that stands in one of the fields. */
function within(key: string, shape: Record<string, z.ZodType>): string | null {
  for (const [name, field] of Object.entries(shape)) {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, key)) return `${name}.${key}`;
  }
  return null;
}

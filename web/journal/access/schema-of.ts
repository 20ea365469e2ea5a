/** JSON Schemas of what people edit, for forms. Each is made once. */
import { z } from "zod";

type JsonSchema = Record<string, unknown>;

const made = new Map<z.ZodType, JsonSchema>();

export function schemaOf(schema: z.ZodType): JsonSchema {
  const known =
    made.get(schema) ?? atTop(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema);
  made.set(schema, known);
  return known;
}

/** A schema with a name comes as a reference to its definition: a form wants its properties at the top. */
function atTop({ $ref, $defs = {}, ...rest }: JsonSchema): JsonSchema {
  if (typeof $ref !== "string") return { ...rest, $defs };
  const definitions = $defs as Record<string, JsonSchema>;
  return { ...rest, ...definitions[$ref.replace("#/$defs/", "")], $defs };
}

/** A JSON Schema's fields as a Markdown table, nested ones with dotted names. */
import type { JsonSchema } from "../../scripts/settings/json-schemas.ts";

/** The table of an object's fields; of a union, one table each. */
export function fieldsTable(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(fieldsTable).join("\n\n");
  const rows = fields(schema).map(({ name, type, required, description }) => [
    `\`${name}\``,
    type,
    required ? "yes" : "",
    description,
  ]);
  return table(["field", "type", "required", "meaning"], rows);
}

/** A Markdown table. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

type Field = { name: string; type: string; required: boolean; description: string };

function fields(schema: JsonSchema, prefix = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix + key;
    const required = schema.required?.includes(key) ?? false;
    return [{ name, type: typeText(field), required, description: field.description ?? "" }, ...nested(field, name)];
  });
}

function nested(field: JsonSchema, name: string): Field[] {
  if (field.properties) return fields(field, `${name}.`);
  if (field.items?.properties) return fields(field.items, `${name}[].`);
  if (typeof field.additionalProperties === "object") return fields(field.additionalProperties, `${name}.<name>.`);
  return [];
}

function typeText(schema: JsonSchema): string {
  if (schema.$ref) {
    const name = schema.$ref.replace("#/$defs/", "");
    return `[${name}](#${name.toLowerCase()})`;
  }
  if ("const" in schema) return `\`${JSON.stringify(schema["const"])}\``;
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.anyOf) return schema.anyOf.map(typeText).join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  switch (schema.type) {
    case "array":
      return `array of ${typeText(schema.items ?? {})}`;
    case "object":
      return typeof schema.additionalProperties === "object"
        ? `object of ${typeText(schema.additionalProperties)}`
        : "object";
    case "integer":
    case "number":
      return `${schema.type}${bounds(schema)}`;
    case "string":
      return stringText(schema);
    default:
      return schema.type ?? "any";
  }
}

function bounds(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`;
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  return minimum === undefined ? "" : ` ≥ ${minimum}`;
}

function stringText(schema: JsonSchema): string {
  if (schema["format"] === "uri") return "URL";
  return schema["pattern"] === undefined ? "string" : `string, \`${schema["pattern"]}\``;
}

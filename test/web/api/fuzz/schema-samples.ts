/** Values that a JSON schema allows, by chance from a seed. */
import type { Engine } from "../../../simulation/engine.ts";

export type JsonSchema = {
  $ref?: string;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

/** @field ids those that stand for something */
export type SampleContext = { schemas: Record<string, JsonSchema>; ids: readonly string[] };

export function sampleOf(engine: Engine, schema: JsonSchema, context: SampleContext): unknown {
  if (schema.$ref !== undefined) {
    const named = context.schemas[schema.$ref.split("/").at(-1) ?? ""];
    if (!named) throw new Error(`the document has no ${schema.$ref}`);
    return sampleOf(engine, named, context);
  }
  if (schema.anyOf) return sampleOf(engine, engine.pick(schema.anyOf), context);
  if (schema.enum) return engine.pick(schema.enum);
  if ("const" in schema) return schema.const;
  switch (schema.type) {
    case "string":
      return textOf(engine, schema, context);
    case "integer":
      return engine.between(Math.max(schema.minimum ?? 0, -100), Math.min(schema.maximum ?? 100, 1000));
    case "number":
      return (schema.minimum ?? 0) + engine.random() * 10;
    case "boolean":
      return engine.chance(0.5);
    case "null":
      return null;
    case "array":
      return Array.from({ length: engine.between(0, 2) }, () => sampleOf(engine, schema.items ?? {}, context));
    case "object":
      return objectOf(engine, schema, context);
    default:
      return engine.pick<unknown>([null, 1, "x", {}, []]);
  }
}

function objectOf(engine: Engine, { properties = {}, required = [] }: JsonSchema, context: SampleContext): object {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || engine.chance(0.4));
  return Object.fromEntries(chosen.map(([name, schema]) => [name, sampleOf(engine, schema, context)]));
}

function textOf(engine: Engine, schema: JsonSchema, { ids }: SampleContext): string {
  if (schema.format === "uuid") return engine.pick(ids);
  if (schema.format === "date-time") return "2026-01-02T03:04:05Z";
  if (schema.pattern?.includes("64")) return "a".repeat(64);
  const { minLength = 0, maxLength = 1000, pattern } = schema;
  const words = ["poet", "a", "@coder and @assistant", "<b>ü漢\n", "```js\n@coder\n```", "then", "x".repeat(300)];
  const text = pattern === undefined ? engine.pick(words) : `poet-${engine.between(0, 100_000)}`;
  return text.slice(0, maxLength).padEnd(minLength, "x");
}

/** JSON schemas of an OpenAPI document: those with a name stand once, under `components`. */
import { z } from "zod";

type Json = Record<string, unknown>;

export class ComponentSchemas {
  readonly named: Record<string, Json> = {};

  /** The schema of a request: fields with a default may be left out. */
  ofRequest(schema: z.ZodType): Json {
    return this.#schemaOf(schema, "input");
  }

  /** The schema of an answer, which holds nothing else. */
  ofAnswer(schema: z.ZodType): Json {
    return this.#schemaOf(schema, "output");
  }

  #schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
    const { $schema: _, $defs = {}, id: __, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
    const names = Object.keys($defs as Json);
    // A record that a request holds may lack what an answer has.
    const nameOf = (name: string) => (io === "input" ? `${name}Input` : name);
    const moved = (part: unknown) =>
      JSON.parse(
        JSON.stringify(part, (key, value: unknown) =>
          key === "$ref" && typeof value === "string"
            ? value.replace(/^#\/\$defs\/(.*)$/, (_all, name: string) => `#/components/schemas/${nameOf(name)}`)
            : value,
        ),
      ) as Json;
    for (const name of names) {
      const { id: ___, ...rest } = ($defs as Record<string, Json>)[name] ?? {};
      this.named[nameOf(name)] = moved(rest);
    }
    return moved(own);
  }
}

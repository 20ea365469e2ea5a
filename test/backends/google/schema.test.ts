import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { googleSchema } from "../../../backends/google/schema.ts";
import { toolsOf } from "../../../backends/google/tools.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../../mcp-tools/tools-server.ts";
import { schemaProblems } from "../../support/providers/google-rules.ts";
import { foreignTools } from "../../support/providers/tool-schemas.ts";

type Schema = Record<string, unknown>;

/** Translates a parameter. */
function parameter(schema: unknown, more: Schema = {}): unknown {
  const translated = googleSchema({ type: "object", properties: { it: schema }, ...more });
  if (translated) expect(schemaProblems(translated)).toEqual([]);
  return (translated?.["properties"] as Schema | undefined)?.["it"];
}

const any = [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "object" }];

describe("a parameter", () => {
  test.each<[string, unknown, unknown]>([
    ["plain text", { type: "string", description: "Words." }, { type: "string", description: "Words." }],
    ["words to choose from", { enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
    ["one word", { const: "a" }, { type: "string", enum: ["a"] }],
    ["numbers to choose from", { type: "integer", enum: [1, 2] }, { type: "integer", description: "(one of: 1, 2)" }],
    ["true", { const: true }, { type: "boolean", description: "(one of: true)" }],
    ["a word that may be empty", { enum: ["", "a"] }, { type: "string", description: '(one of: "", a)' }],
    ["text or null", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["nullable, as OpenAPI has it", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["words or null", { enum: ["a", null] }, { type: ["string", "null"], enum: ["a"] }],
    [
      "as pydantic writes what may be left out",
      { anyOf: [{ type: "string" }, { type: "null" }], default: null, description: "Words." },
      { type: ["string", "null"], description: "Words. (default: null)" },
    ],
    ["null alone", { type: "null" }, { type: "null" }],
    ["a choice of nothing but null", { anyOf: [{ type: "null" }] }, { type: "null" }],
    ["text or number", { type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    [
      "one of several",
      { oneOf: [{ type: "string" }, { type: "integer", minimum: 1 }, { type: "null" }], description: "Who." },
      {
        anyOf: [
          { type: "string", description: "Who." },
          { type: "integer", description: "Who.", minimum: 1 },
          { type: "null" },
        ],
      },
    ],
    ["a choice of one", { anyOf: [{ type: "string" }] }, { type: "string" }],
    [
      "choices in choices",
      { anyOf: [{ oneOf: [{ type: "string" }, { type: "boolean" }] }, { type: "string" }] },
      {
        anyOf: [{ type: "string" }, { type: "boolean" }],
      },
    ],
    [
      "words, each a choice",
      { anyOf: [{ const: "a" }, { const: "b", title: "B" }] },
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "string" } }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
    ],
    [
      "more than 3, whole",
      { type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 9 },
      { type: "integer", minimum: 4, maximum: 8 },
    ],
    [
      "more than 3",
      { type: "number", exclusiveMinimum: 3 },
      { type: "number", minimum: 3, description: "(more than: 3)" },
    ],
    [
      "more than 3, in an older draft",
      { type: "integer", minimum: 3, exclusiveMinimum: true },
      { type: "integer", minimum: 4 },
    ],
    ["a moment", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
    [
      "an address, a pattern, a length, a default",
      { type: "string", format: "uri", pattern: "^https:", minLength: 8, maxLength: 99, default: "https:" },
      {
        type: "string",
        description: "(default: https:; format: uri; pattern: ^https:; shortest length: 8; greatest length: 99)",
      },
    ],
    [
      "a multiple",
      { type: "number", multipleOf: 0.5, title: "Half" },
      { type: "number", description: "(a multiple of: 0.5)" },
    ],
    ["anything", {}, { anyOf: any }],
    ["anything, said shortly", true, { anyOf: any }],
    ["a list of anything", { type: "array" }, { type: "array", items: { anyOf: any } }],
    [
      "a list",
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 5, uniqueItems: true },
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 5, description: "(none twice)" },
    ],
    [
      "a pair",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] }, minItems: 2, maxItems: 2 },
    ],
    [
      "a pair, in an older draft",
      { type: "array", items: [{ type: "number" }, { type: "number" }] },
      { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
    ],
    ["an object of no known fields", { type: "object", additionalProperties: true }, { type: "object" }],
    [
      "a map",
      { type: "object", additionalProperties: { type: "string", pattern: "x" }, propertyNames: { pattern: "y" } },
      { type: "object", additionalProperties: { type: "string", description: "(pattern: x)" } },
    ],
    [
      "an object that asks for what it hasn't, and forbids the rest",
      { type: "object", properties: { a: true, b: false }, required: ["a", "b", "c"], additionalProperties: false },
      { type: "object", properties: { a: { anyOf: any } }, required: ["a"] },
    ],
    [
      "a choice of what must be there can't be said",
      { type: "object", properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", properties: { a: { type: "string" } } },
    ],
  ])("%s", (_, schema, expected) => {
    expect(parameter(schema)).toEqual(expected);
  });

  test("references are followed", () => {
    const $defs = {
      name: { type: "string", minLength: 1, description: "A name." },
      "a/b": { $ref: "#/$defs/name" },
    };
    const named = { type: "string", description: "A name. (shortest length: 1)" };
    expect(parameter({ $ref: "#/$defs/name" }, { $defs })).toEqual(named);
    expect(parameter({ $ref: "#/$defs/a~1b" }, { $defs })).toEqual(named);
    expect(parameter({ $ref: "#/$defs/name", description: "His." }, { $defs })).toMatchObject({
      description: "His. (shortest length: 1)",
    });
    expect(parameter({ $ref: "#/$defs/none" }, { $defs })).toEqual({ anyOf: any });
    expect(parameter({ $ref: "https://example.com/schema.json" })).toEqual({ anyOf: any });
  });

  test("a reference to itself ends", () => {
    const tree = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/tree" } } },
    };
    expect(parameter({ $ref: "#/$defs/tree" }, { $defs: { tree } })).toEqual({
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { type: "object", description: "The same again." } },
      },
    });
    const loop = { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } };
    expect(parameter({ $ref: "#/$defs/a" }, { $defs: loop })).toBeDefined();
    expect(parameter({ $ref: "#" })).toBeDefined();
  });

  test("a schema that would grow without end is cut", () => {
    const names = Array.from({ length: 30 }, (_, at) => `d${at}`);
    const $defs = Object.fromEntries(
      names.map((name, at) => {
        const next = { $ref: `#/$defs/${names[at + 1] ?? "end"}` };
        return [name, { type: "object", properties: { a: next, b: next }, allOf: [{ properties: { c: next } }] }];
      }),
    );
    const translated = parameter({ $ref: "#/$defs/d0" }, { $defs });
    expect(JSON.stringify(translated).length).toBeLessThan(500_000);
  });
});

describe("the parameters of a tool", () => {
  test("a tool without parameters has no schema", () => {
    expect(googleSchema({ type: "object" })).toBeUndefined();
    expect(googleSchema({ type: "object", properties: {}, additionalProperties: false })).toBeUndefined();
    expect(googleSchema({})).toBeUndefined();
  });

  test("a choice of objects becomes one", () => {
    const by = (name: string) => ({
      type: "object",
      properties: { [name]: { type: "string" }, limit: { type: "integer" } },
      required: [name, "limit"],
    });
    expect(googleSchema({ $schema: "x", oneOf: [by("path"), by("name")] })).toEqual({
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "integer" }, name: { type: "string" } },
      required: ["limit"],
    });
  });

  test("names that the API doesn't take are changed, each to its own, and back", () => {
    const names = ["a b", "a/b", "7z", "ok.tool:x-1", "x".repeat(200)];
    const tools = toolsOf(names.map((name) => ({ name, description: "", schema: {} })));
    expect(tools.declarations.map(({ name }) => name)).toEqual(["a_b", "a_b_2", "_7z", "ok.tool:x-1", "x".repeat(128)]);
    expect(names.map((name) => tools.toolOf(tools.nameOf(name)))).toEqual(names);
    expect(tools.declarations.every(({ description }) => description !== "")).toBe(true);
  });
});

describe("tools as they are", () => {
  test.each(foreignTools.map((tool) => [tool.name, tool.inputSchema] as const))("%s", (_, inputSchema) => {
    const translated = googleSchema(inputSchema);
    if (translated) expect(schemaProblems(translated)).toEqual([]);
    expect(Object.keys((translated?.["properties"] as Schema | undefined) ?? {})).toEqual(
      Object.keys((inputSchema["properties"] as Schema | undefined) ?? {}),
    );
    expect(translated?.["required"] ?? []).toEqual(inputSchema["required"] ?? []);
  });

  describe("our own", () => {
    const folder = makeJournal();
    let server: ToolsServer;
    beforeAll(async () => {
      server = await startTools(folder.journal);
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    test("all that the server offers", async () => {
      await using client = await connect(server.url, await commandsToken(folder.journal));
      const { tools } = await client.listTools();
      expect(tools.length).toBeGreaterThan(3);
      for (const { name, inputSchema } of tools) {
        const translated = googleSchema(inputSchema);
        if (translated) expect([name, schemaProblems(translated)]).toEqual([name, []]);
        expect(Object.keys((translated?.["properties"] as Schema | undefined) ?? {})).toEqual(
          Object.keys(inputSchema.properties ?? {}),
        );
      }
    });
  });
});

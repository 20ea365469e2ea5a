import { expect, test } from "vitest";
import { firstSentence, labelOf } from "../../../../page/words/forms/field-labels.ts";
import { type Field, fieldsOf, withField } from "../../../../page/words/forms/schema-fields.ts";
import { PersonaSettings } from "../../../../protocol/settings/persona.ts";
import { Settings } from "../../../../protocol/settings/settings.ts";
import { schemaOf } from "../../../../web/journal/access/schema-of.ts";

const kindsOf = (fields: readonly Field[]) =>
  Object.fromEntries(
    fields.map(({ name, shape }) => [name, shape.kind === "text" && shape.isLong ? "long" : shape.kind]),
  );

const one = (schema: object, value?: unknown) =>
  fieldsOf({ type: "object", properties: { it: schema } }, value === undefined ? {} : { it: value })[0]?.shape;

test("each type has its field, and what has none is edited as JSON", () => {
  const text = { type: "string" };
  const schema = {
    type: "object",
    properties: {
      title: text,
      prompt: text,
      count: { type: "integer" },
      share: { type: "number" },
      mode: { enum: ["on", "off"] },
      loud: { type: "boolean" },
      names: { type: "array", items: text },
      limits: { type: "object", properties: { seconds: { type: "number" } } },
      rules: { type: "array", items: { type: "object" } },
      anything: {},
    },
  };
  expect(kindsOf(fieldsOf(schema, {}))).toEqual({
    title: "text",
    prompt: "long",
    count: "number",
    share: "number",
    mode: "choice",
    loud: "yes-no",
    names: "words",
    limits: "group",
    rules: "raw",
    anything: "raw",
  });
});

test("a field can show the value that there is, or else is JSON", () => {
  const either = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };
  expect([one(either)?.kind, one(either, "a")?.kind, one(either, ["a"])?.kind, one(either, { a: 1 })?.kind]).toEqual([
    "text",
    "text",
    "words",
    "raw",
  ]);
  expect(one({ type: "number" }, "many")).toEqual({ kind: "raw" });
  expect(one({ enum: ["a"] }, "b")).toEqual({ kind: "raw" });
});

test("constants among alternatives are one choice, and null is none of them", () => {
  const schema = { anyOf: [{ const: "a" }, { enum: ["b", "a"] }, { type: "null" }] };
  expect(one(schema)).toEqual({ kind: "choice", options: ["a", "b"] });
  expect(one({ type: ["boolean", "null"] })).toEqual({ kind: "yes-no" });
});

test("references are followed, also those that lead to themselves", () => {
  const root = {
    $ref: "#/$defs/Tree",
    $defs: {
      Tree: { type: "object", properties: { name: { type: "string" }, child: { $ref: "#/$defs/Tree" } } },
      Circle: { $ref: "#/$defs/Circle" },
    },
  };
  const [, child] = fieldsOf(root, {});
  expect(child?.shape.kind).toBe("group");
  const depthOf = (fields: readonly Field[]): number =>
    1 + Math.max(0, ...fields.map(({ shape }) => (shape.kind === "group" ? depthOf(shape.fields) : 0)));
  expect(depthOf(fieldsOf(root, {}))).toBe(4);
  expect(fieldsOf({ $ref: "#/$defs/Circle", $defs: root.$defs }, { a: 1 })).toMatchObject([{ name: "a" }]);
  expect(fieldsOf({ $ref: "#/nowhere" }, {})).toEqual([]);
});

test("what only the value has is a field as well, and a name of every object is none of ours", () => {
  const fields = fieldsOf({ type: "object", properties: {} }, { extra: [1], constructor: 1 });
  expect(fields.map(({ name, shape }) => [name, shape.kind])).toEqual([
    ["extra", "raw"],
    ["constructor", "raw"],
  ]);
});

test("a changed field keeps its place, and one without a value is gone", () => {
  expect(Object.entries(withField({ a: 1, b: 2 }, "a", 3))).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  expect(withField({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  expect(withField({}, "a", false)).toEqual({ a: false });
});

test("the settings of personas and of the journal are fields, the large ones in groups", () => {
  const persona = kindsOf(fieldsOf(schemaOf(PersonaSettings), { tools: "journal", timeout_seconds: 300 }));
  expect(persona).toMatchObject({ tools: "text", timeout_seconds: "number", sandbox: "choice", missed: "text" });
  const settings = kindsOf(fieldsOf(schemaOf(Settings), {}));
  expect(Object.values(settings).filter((kind) => kind === "group").length).toBeGreaterThan(2);
});

test("a name is a label with its unit, and a description its first sentence", () => {
  expect(labelOf("max_cost_usd")).toEqual({ label: "Max cost", unit: "$" });
  expect(labelOf("timeout_seconds")).toEqual({ label: "Timeout", unit: "s" });
  expect(labelOf("dayFrom")).toEqual({ label: "Day from", unit: "" });
  expect(labelOf("usd")).toEqual({ label: "Usd", unit: "" });
  expect(labelOf("max_memory_mb")).toEqual({ label: "Max memory", unit: "MB" });
  expect(firstSentence('Packs, `"journal, todo"`, among them. More.')).toBe('Packs, "journal, todo", among them.');
  expect(firstSentence("no end")).toBe("no end");
});

import { expect, test } from "vitest";
import { problemsIn, saidValues, settingsSchema, usualValue } from "../../../../page/words/forms/agent-fields.ts";

const schema = {
  type: "object",
  properties: { slug: {}, system_prompt: {}, model: { default: null }, max_tokens: { default: 4096 } },
  required: ["slug", "system_prompt"],
};

test("values that say nothing are left out, however deep", () => {
  const trust = { autonomous: [], approve: ["bash"], escalate: [] };
  const values = { model: null, description: "", tools: [], limits: {}, trust, max_tokens: 0, on: false };
  expect(saidValues(values)).toEqual({ trust: { approve: ["bash"] }, max_tokens: 0, on: false });
  expect(saidValues({ trust: { autonomous: [], approve: [] } })).toEqual({});
});

test("what is needed and what there isn't is told by name, and the text is no setting", () => {
  expect(problemsIn({ slug: "poet", max_tokens: 1 }, schema)).toEqual({});
  expect(problemsIn({ colour: "red" }, schema)).toEqual({
    slug: "This is needed",
    colour: "There is no setting “colour”",
  });
  expect(Object.keys(problemsIn({ slug: "poet", system_prompt: "You rhyme." }, schema))).toEqual(["system_prompt"]);
  expect(Object.keys(settingsSchema(schema)["properties"] as object)).toEqual(["slug", "model", "max_tokens"]);
});

test("a field that was emptied is as usual", () => {
  expect([usualValue(schema, "max_tokens"), usualValue(schema, "model"), usualValue(schema, "toString")]).toEqual([
    4096,
    null,
    null,
  ]);
});

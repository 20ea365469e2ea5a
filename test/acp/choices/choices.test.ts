import { expect, test } from "vitest";
import { configOptions, withOption } from "../../../acp/choices/choices.ts";
import { effortFields } from "../../../acp/choices/efforts.ts";
import { modelFields, modelValues } from "../../../acp/choices/models.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";

const choices = {
  modes: { personas: [{ id: "default", name: "Default" }], agents: [{ id: "agent/main", name: "main" }] },
  models: ["anthropic/m-1"],
};
const chosen = { mode: "default", model: "default", effort: "default" };

test("a model that was chosen and isn't there any more stays as long as it is chosen", () => {
  const [, model] = configOptions(choices, { ...chosen, model: "google/gone" });
  expect(model).toMatchObject({
    currentValue: "google/gone",
    options: [{ value: "default" }, { value: "anthropic/m-1" }, { value: "google/gone" }],
  });
  expect(() => withOption(choices, chosen, "model", "google/gone")).toThrow("google/gone");
});

test("one option is changed; a value or an option that there isn't is refused", () => {
  expect(withOption(choices, chosen, "effort", "high")).toEqual({ ...chosen, effort: "high" });
  expect(() => withOption(choices, chosen, "effort", true)).toThrow("effort");
  expect(() => withOption(choices, chosen, "colour", "red")).toThrow("colour");
  expect(() => withOption(choices, { ...chosen, mode: "agent/main" }, "model", "anthropic/m-1")).toThrow("model");
});

test("models are those that settings and personas name", () => {
  const persona = (settings: Persona["settings"]): Persona => ({
    name: "x",
    instruction: "",
    settings,
    source: "journal",
    path: "",
  });
  const personas = [persona({ backend: "mine", model: "b/2" }), persona({ model: "of-the-default-backend" })];
  expect(modelValues("/nowhere", { default_model: { mine: "a" } }, personas)).toEqual(["mine/a", "mine/b/2"]);
  // Its key isn't there.
  expect(modelValues("/nowhere", { default_model: { anthropic: "m-1" } }, [])).toEqual([]);
});

test("choices are fields of the request; what is left to the persona is none", () => {
  expect([modelFields("default"), modelFields("mine/b/2")]).toEqual([{}, { backend: "mine", model: "b/2" }]);
  expect([effortFields("default"), effortFields("none")]).toEqual([{}, { thinking_budget: 0 }]);
});

import { expect, test } from "vitest";
import { settingsLabel, settingsLabels } from "../../../../page/words/forms/settings-fields.ts";
import { publishedSchema } from "../../../../scripts/settings/json-schemas.ts";

type Schema = { properties?: Record<string, Schema> };

const namesIn = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, own]) => [name, ...namesIn(own)]);

test("each setting has a label in plain words, and none that is gone", () => {
  const names = new Set(namesIn(publishedSchema("settings") as Schema));
  expect([...names].filter((name) => !Object.hasOwn(settingsLabels, name)).toSorted()).toEqual([]);
  expect(Object.keys(settingsLabels).filter((name) => !names.has(name))).toEqual([]);
});

test("a setting of a later version is called by its name", () => {
  expect(settingsLabel("max_dreams_per_night")).toBe("Max dreams per night");
  expect(settingsLabel("constructor")).toBe("Constructor");
});

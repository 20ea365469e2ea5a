import { expect, test } from "vitest";
import { asArguments, readArguments } from "../../conversation/arguments.ts";

test.each([
  [{ a: 1 }, { a: 1 }],
  ['{"a":1}', { a: 1 }],
  ["", {}],
  [undefined, {}],
  [null, {}],
  ['{"a":', undefined],
  ["[1]", undefined],
  [[1], undefined],
  [7, undefined],
])("the arguments %j are read as %j", (value, args) => {
  expect(readArguments(value)).toEqual(args);
});

test("arguments that aren't an object are wrapped once, however often", () => {
  const wrapped = asArguments("{");
  expect(wrapped).toEqual({ unparsed: "{" });
  expect(asArguments(wrapped)).toEqual(wrapped);
});

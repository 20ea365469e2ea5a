import { expect, test } from "vitest";
import { isRecord, jsonAs, textOf } from "../../../../page/words/json/read-json.ts";

test("a record is an object, and neither null nor a list", () => {
  expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true]);
  expect([null, undefined, [], "{}", 1].map(isRecord)).toEqual([false, false, false, false, false]);
});

test("a field that is no text is an empty one", () => {
  expect(["a", "", 1, null, undefined, ["a"]].map(textOf)).toEqual(["a", "", "", "", "", ""]);
});

test("a text is read where its value fits, and is null otherwise", () => {
  expect(jsonAs('{"a":1}', isRecord)).toEqual({ a: 1 });
  expect(["", "{", "[]", "null"].map((text) => jsonAs(text, isRecord))).toEqual([null, null, null, null]);
});

import { expect, test } from "vitest";
import { asJson, headAndTail, rowsOf } from "../../../../page/words/text/values.ts";

test("a list of records is a table, also as text or within an object", () => {
  const table = {
    columns: ["day", "mA"],
    rows: [
      ["17", "0.41"],
      ["18", ""],
    ],
  };
  const list = [{ day: "17", mA: 0.41 }, { day: "18" }];
  expect(rowsOf(list)).toEqual(table);
  expect(rowsOf(JSON.stringify(list))).toEqual(table);
  expect(rowsOf({ hits: list, notes: ["cut"] })).toEqual(table);
});

test("what is no list of records is no table", () => {
  for (const value of ["text", "[broken", "[1,2]", 7, null, undefined, {}, [], { a: 1 }])
    expect(rowsOf(value)).toBeNull();
});

test("a long text keeps its head and its tail", () => {
  const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
  const { head, hidden, tail } = headAndTail(text, 10);
  expect(head.split("\n")).toHaveLength(5);
  expect(hidden).toBe(90);
  expect(tail).toMatch(/line 99$/);
  expect(headAndTail("short")).toEqual({ head: "short", hidden: 0, tail: "" });
});

test("values are JSON, and texts are themselves", () => {
  expect([asJson("a"), asJson({ a: 1 }), asJson(undefined)]).toEqual(["a", '{\n  "a": 1\n}', ""]);
});

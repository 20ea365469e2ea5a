import { expect, test } from "vitest";
import { jsonIn, numberIn } from "../../../../page/words/forms/typed-values.ts";

test("a number is read as people write it", () => {
  expect([numberIn(" 15 ", true), numberIn("0,5", false), numberIn("-1e3", true), numberIn(".5", false)]).toEqual([
    { value: 15 },
    { value: 0.5 },
    { value: -1000 },
    { value: 0.5 },
  ]);
  expect(numberIn("  ", true)).toEqual({ value: undefined });
});

test("what is no number says so", () => {
  for (const text of ["many", "1 2", "0x10", "1.", "NaN", "Infinity", "1e999", "--1"])
    expect([text, "problem" in numberIn(text, false)]).toEqual([text, text !== "1."]);
  expect(numberIn("1.5", true)).toEqual({ problem: "This has to be a whole number" });
});

test("JSON is read, and broken JSON is told with its place", () => {
  expect(jsonIn('{"a":[1]}')).toEqual({ value: { a: [1] } });
  expect(jsonIn("")).toEqual({ value: undefined });
  expect(jsonIn('{"a":')).toMatchObject({ problem: expect.stringMatching(/^This is not JSON: /) });
});

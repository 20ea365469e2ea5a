import { expect, test } from "vitest";
import { argumentHeaderProblem } from "../../../protocol/guards/argument-headers.ts";

const argument = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

test.each([
  ["no header", schema({ a: { type: "string" } })],
  ["one of each type", schema({ a: argument("A"), b: argument("B", "integer"), c: argument("C", "boolean") })],
  ["one of an inner argument", schema({ a: schema({ b: argument("B") }) })],
  ["an argument that is called so", schema({ "x-mcp-header": { type: "string" } })],
])("%s is no problem", (_, asked) => {
  expect(argumentHeaderProblem(asked)).toBeNull();
});

test.each([
  ["an empty name", schema({ a: argument("") }), "is no name"],
  ["a name with a space", schema({ a: argument("My Region") }), "is no name"],
  ["a name that is no text", schema({ a: argument(5) }), "is no name"],
  ["a number", schema({ a: argument("A", "number") }), "neither text nor"],
  ["an object", schema({ a: argument("A", "object") }), "neither text nor"],
  ["the same name twice", schema({ a: argument("A"), b: argument("a") }), "twice"],
  ["one in a list", schema({ a: { type: "array", items: argument("A") } }), "where no argument is"],
  ["one in a branch", schema({}, { oneOf: [schema({ a: argument("A") })] }), "where no argument is"],
  ["one of the whole", schema({}, { "x-mcp-header": "A" }), "where no argument is"],
])("%s is a problem", (_, asked, problem) => {
  expect(argumentHeaderProblem(asked)).toContain(problem);
});

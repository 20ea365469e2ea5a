import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";

const folder = fileURLToPath(new URL("../../protocol", import.meta.url));
const files = globSync("**/*.ts", { cwd: folder });
const modules = await Promise.all(files.map((file) => import(/* @vite-ignore */ join(folder, file))));
const exported = modules.flatMap((module: Record<string, unknown>) => Object.values(module));
const schemas = exported.flatMap((value) => [...reachable(value)]);
const examples = schemas.flatMap((schema) =>
  ((schema.meta()?.["examples"] ?? []) as unknown[]).map((example) => ({
    schema,
    example,
    text: JSON.stringify(example),
  })),
);

/** The schemas that a value is or holds, at any depth. */
function reachable(value: unknown, seen = new Set<z.ZodType>()): Set<z.ZodType> {
  if (value instanceof z.ZodType) {
    if (seen.has(value)) return seen;
    seen.add(value);
    for (const part of Object.values(value.def)) reachable(part, seen);
  } else if (isPlain(value)) {
    for (const part of Object.values(value)) reachable(part, seen);
  }
  return seen;
}

function isPlain(value: unknown): value is object {
  return (
    Array.isArray(value) ||
    (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
  );
}

test("there are examples to look at", () => {
  expect(examples.length).toBeGreaterThan(40);
});

test.each(examples)("the example $text fits its schema", ({ schema, example }) => {
  expect(schema.safeParse(example).error).toBeUndefined();
});

test("a schema drops nothing of its example", () => {
  for (const { schema, example } of examples) expect(schema.parse(example)).toEqual(example);
});

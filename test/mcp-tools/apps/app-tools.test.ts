import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolsOfModule } from "../../../mcp-tools/apps/app-tools.ts";

const context = { journal: "/nowhere", signal: new AbortController().signal };
const run = (args: unknown) => args;
const one = (tool: object) => toolsOfModule({ default: { description: "x", run, ...tool } }, "file.ts")[0];

test("the default export is called as its file, others by their names, unless they say otherwise", () => {
  const tools = toolsOfModule(
    {
      default: { description: "a", run },
      other: { description: "b", run, readOnly: true, destructive: false, title: "B" },
      third: { name: "renamed", description: "c", run },
      helper: () => 1,
      setting: 5,
    },
    "convert.ts",
  );
  expect(tools.map(({ description }) => description.name)).toEqual(["convert", "other", "renamed"]);
  expect(tools[1]?.description).toEqual({
    name: "other",
    title: "B",
    description: "b",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
});

test.each([
  ["nothing", {}, "it exports no tool"],
  ["no function", { default: { description: "x" } }, "file: run"],
  ["no description", { default: { run } }, "file: description"],
  ["a name that can't be", { default: { description: "x", run, name: "a.b" } }, '"a.b" is not a name for a tool'],
  ["a schema of no object", { default: { description: "x", run, input: { type: "string" } } }, "file: input"],
  ["zod of no object", { default: { description: "x", run, input: z.string() } }, "file: input: expected z.object"],
  ["a broken schema", { default: { description: "x", run, input: { type: "object", properties: 5 } } }, /must be/],
])("a module with %s is refused, with the reason", (_, module, why) => {
  expect(() => toolsOfModule(module, "file.ts")).toThrow(why);
});

describe("arguments are checked before the app sees them", () => {
  test("by a JSON Schema", async () => {
    const tool = one({ input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } });
    expect(await tool?.run({ n: 1 }, context)).toEqual({ n: 1 });
    await expect(tool?.run({ n: "x" }, context)).rejects.toThrow(/wrong arguments: .*number/);
  });

  test("by a schema of zod, whose defaults count", async () => {
    const tool = one({ input: z.object({ n: z.number().default(7) }) });
    expect(tool?.description.inputSchema).toMatchObject({ type: "object", properties: { n: { type: "number" } } });
    expect(await tool?.run({}, context)).toEqual({ n: 7 });
    await expect(tool?.run({ n: "x" }, context)).rejects.toThrow(/wrong arguments: n: .*number/);
  });
});

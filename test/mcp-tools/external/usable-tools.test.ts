import { expect, test } from "vitest";
import { cleanText, usableTools } from "../../../mcp-tools/external/usable-tools.ts";

const inputSchema = { type: "object" };

test("a tool is offered under its server's name, with what describes it and nothing else", () => {
  const tool = {
    name: "get-sum",
    title: "Sum",
    description: "Adds.",
    inputSchema: { type: "object", properties: { a: { type: "number" } } },
    outputSchema: { type: "object", properties: { sum: { type: "number" } } },
    annotations: { readOnlyHint: true },
  };
  const { tools, problems } = usableTools("math", [{ ...tool, _meta: { secret: 1 }, icons: [] }]);
  expect(problems).toEqual([]);
  expect(tools).toEqual([{ ...tool, name: "math.get-sum" }]);
});

test.each([
  [{ name: "", inputSchema }, "its name"],
  [{ name: "a b", inputSchema }, "its name"],
  [{ name: ".hidden", inputSchema }, "its name"],
  [{ name: "x".repeat(129), inputSchema }, "its name"],
  [{ name: "ok" }, "isn't described"],
  [{ name: "ok", inputSchema: { type: "string" } }, "isn't described"],
  [{ name: "ok", inputSchema, execution: { taskSupport: "required" } }, "as a task"],
  [null, "isn't described"],
])("%j is left out, and the others are there", (bad, why) => {
  const { tools, problems } = usableTools("s", [bad, { name: "good", inputSchema }]);
  expect(tools.map(({ name }) => name)).toEqual(["s.good"]);
  expect(problems).toEqual([expect.stringContaining(why)]);
});

test("a server with very many tools has only the first used", () => {
  const { tools, problems } = usableTools(
    "s",
    Array.from({ length: 600 }, (_, n) => ({ name: `t${n}`, inputSchema })),
  );
  expect(tools).toHaveLength(512);
  expect(problems).toEqual(["it offers 600 tools: only the first 512 are used"]);
});

test("text from outside has no characters that make it look like other text, and an end", () => {
  const escape = String.fromCodePoint(0x1b);
  const reversed = String.fromCodePoint(0x202e);
  expect(cleanText(`${escape}[31mred\n${reversed}txet\t!`, 100)).toBe("[31mred\ntxet\t!");
  expect(cleanText("x".repeat(50), 10)).toBe(`${"x".repeat(10)}…`);
  const [tool] = usableTools("s", [{ name: "t", description: "x".repeat(10_000), inputSchema }]).tools;
  expect(tool?.description).toHaveLength(8_193);
});

import { expect, test } from "vitest";
import { answerOf } from "../../../mcp-tools/apps/app-answer.ts";

const image = { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], isError: true };

test.each([
  ["text", "hello", { content: [{ type: "text", text: "hello" }] }],
  ["nothing", undefined, { content: [{ type: "text", text: "done" }] }],
  ["a list", [1], { content: [{ type: "text", text: "[\n  1\n]" }] }],
  ["an object", { a: 1 }, { content: [{ type: "text", text: '{\n  "a": 1\n}' }], structuredContent: { a: 1 } }],
  ["MCP's own form", image, image],
])("a tool's return value becomes an answer: %s", (_, returned, answer) => {
  expect(answerOf(returned)).toEqual(answer);
});

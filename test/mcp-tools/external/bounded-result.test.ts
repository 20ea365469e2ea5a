import { expect, test } from "vitest";
import { boundedResult } from "../../../mcp-tools/external/bounded-result.ts";

test("an answer within the bounds passes as it is: text, images, files, links, structure, error", () => {
  const answer = {
    content: [
      { type: "text" as const, text: "hello" },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
      { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link" as const, name: "notes", uri: "file:///notes.md" },
      { type: "resource" as const, resource: { uri: "a:b", text: "inner" } },
      { type: "resource" as const, resource: { uri: "a:c", blob: "AAAA", mimeType: "x/y" } },
    ],
    structuredContent: { sum: 3 },
    isError: true,
  };
  expect(boundedResult(answer)).toEqual(answer);
});

test("all texts together are cut at the bound, and say so", () => {
  const { content } = boundedResult({
    content: [
      { type: "text", text: "x".repeat(1024 * 1024 - 10) },
      { type: "text", text: "y".repeat(100) },
    ],
  });
  expect(content[1]).toEqual({ type: "text", text: `${"y".repeat(10)}\n[cut: 90 more characters]` });
});

test("an image that is too large is named instead of sent", () => {
  const { content } = boundedResult({
    content: [{ type: "image", data: "A".repeat(8 * 1024 * 1024), mimeType: "image/png" }],
  });
  expect(content).toEqual([{ type: "text", text: "[image, image/png, 6291456 bytes: too large, left out]" }]);
});

test("a result of very many parts passes on only the first", () => {
  const { content } = boundedResult({ content: Array.from({ length: 300 }, () => ({ type: "text", text: "x" })) });
  expect(content).toHaveLength(257);
  expect(content.at(-1)).toEqual({ type: "text", text: "[44 more parts left out]" });
});

test("a structure that is too large makes the answer an error: a client may insist on what was promised", () => {
  const answer = boundedResult({ content: [], structuredContent: { text: "x".repeat(2 * 1024 * 1024) } });
  expect(answer).not.toHaveProperty("structuredContent");
  expect(answer.isError).toBe(true);
});

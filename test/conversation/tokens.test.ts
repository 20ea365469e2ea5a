import { expect, test } from "vitest";
import { estimateTokens } from "../../conversation/size/tokens.ts";

test("a text counts the same, wherever it stands", () => {
  const text = "garden ".repeat(1_000);
  expect(estimateTokens([{ role: "user", text }])).toBeGreaterThanOrEqual(1_000);
  expect(estimateTokens([{ role: "user", text }])).toBeLessThan(1_020);
  expect(
    estimateTokens([{ role: "assistant", calls: [{ call_id: "a", tool: "t", args: { text: [text] } }] }]),
  ).toBeGreaterThan(1_000);
  expect(estimateTokens([{ role: "tool", call_id: "a", result: { text } }])).toBeGreaterThan(1_000);
  expect(estimateTokens([{ role: "assistant", text: "so", reasoning: [{ opaque: text }] }])).toBeGreaterThan(1_000);
});

test("an image counts the same, however long its data is", () => {
  const image = (data: string) => [{ role: "tool" as const, call_id: "a", result: [{ type: "image", data }] }];
  expect(estimateTokens(image("A".repeat(1_000_000)))).toBe(estimateTokens(image("A")));
  expect(estimateTokens(image("A"))).toBeGreaterThan(1_000);
});

test("files count as what a model is shown of them, and never by their bytes", () => {
  const file = (mime: string, size: number) => [
    { role: "user" as const, text: "", parts: [{ type: "file" as const, id: "0".repeat(64), name: "x", mime, size }] },
  ];
  const tokens = (mime: string, size: number) => estimateTokens(file(mime, size));
  expect(tokens("image/png", 100)).toBe(tokens("image/jpeg", 20_000_000));
  expect(tokens("image/png", 100)).toBeGreaterThanOrEqual(1600);
  expect(tokens("application/pdf", 600_000)).toBeGreaterThanOrEqual(10 * 2000);
  expect(tokens("text/plain", 4000)).toBeGreaterThanOrEqual(1000);
  expect(tokens("text/plain", 20_000_000)).toBe(tokens("text/plain", 256 * 1024));
  expect(tokens("application/zip", 20_000_000)).toBeLessThan(100);
});

import { expect, test } from "vitest";
import { estimateTokens } from "../../conversation/tokens.ts";

test("four characters are a token, wherever they stand", () => {
  const text = "x".repeat(4_000);
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

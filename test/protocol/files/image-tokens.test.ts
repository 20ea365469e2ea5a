import { expect, test } from "vitest";
import { imageTokens } from "../../../protocol/files/image-tokens.ts";

// From the providers' own guides, where these give numbers.
test.each([
  ["anthropic", 200, 200, 54],
  ["anthropic", 1000, 1000, 1334],
  ["anthropic", 1092, 1092, 1590],
  ["anthropic", 3000, 4000, 1600],
  ["openai", 512, 512, 255],
  ["openai", 1024, 1024, 765],
  ["openai", 2048, 4096, 1105],
  ["google", 384, 384, 258],
  ["google", 960, 540, 6 * 258],
  ["google", 100, 385, 2 * 258],
] as const)("%s counts an image of %i × %i pixels as %i tokens", (seller, width, height, tokens) => {
  expect(imageTokens({ width, height }, 100_000, seller)).toBe(tokens);
});

test("an image of a model whose seller counts in another way is as large as the most of them", () => {
  for (const seller of [undefined, null, "openrouter"])
    expect(imageTokens({ width: 960, height: 540 }, 100_000, seller)).toBe(6 * 258);
  expect(imageTokens(null, 100_000, "openai")).toBe(1600);
});

test("an image that is scaled before it is sent counts as what is sent", () => {
  const photo = { width: 8000, height: 6000 };
  expect(imageTokens(photo, 5_000_000, "google")).toBe(6 * 258);
  expect(imageTokens(photo, 1_000_000, "google")).toBe(11 * 8 * 258);
});

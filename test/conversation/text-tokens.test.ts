import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer";
import { expect, test } from "vitest";
import { textTokens } from "../../conversation/size/text-tokens.ts";
import { TokenRatio } from "../../conversation/size/token-ratio.ts";

const textOf = (name: string) => readFileSync(new URL(`../fixtures/token-corpus/${name}.txt`, import.meta.url), "utf8");

test.each(["english", "german", "chinese", "japanese", "korean", "thai", "arabic", "code", "json"])(
  "the estimate of %s is within 15 % of what a tokenizer counts",
  (name) => {
    const text = textOf(name);
    const counted = encode(text).length;
    expect(textTokens(text)).toBeGreaterThan(0.85 * counted);
    expect(textTokens(text)).toBeLessThan(1.15 * counted);
  },
);

test("an empty text has no tokens, and a sign of any script has at least one", () => {
  expect(textTokens("")).toBe(0);
  for (const sign of ["a", "é", "北", "ไ", "😀", "\u{10ffff}", ".", "7", "\n"])
    expect(textTokens(sign)).toBeGreaterThanOrEqual(1);
});

test("a ratio follows the provider's counts, within bounds, and learns nothing of little", () => {
  const ratio = new TokenRatio();
  ratio.learn(10, 5);
  expect(ratio.corrected(1000)).toBe(1000);
  ratio.learn(1300, 1000);
  expect(ratio.corrected(1000)).toBe(1300);
  ratio.learn(900, 1000);
  expect(ratio.corrected(1000)).toBe(900);
  ratio.learn(1_000_000, 1000);
  expect(ratio.value).toBe(4);
  ratio.learn(0, 1000);
  expect(ratio.value).toBe(4);
});

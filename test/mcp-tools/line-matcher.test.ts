import { expect, test } from "vitest";
import { LineMatcher, PatternError } from "../../mcp-tools/file-search/line-matcher.ts";

test("the first lines that fit are found, by their index", async () => {
  await using matcher = await LineMatcher.start("^b|c$");
  expect(await matcher.matching(["a", "b", "xc", "bc"], 2)).toEqual([1, 2]);
  expect(await matcher.matching([], 2)).toEqual([]);
  expect(await matcher.matching(["c"], 2)).toEqual([0]);
});

test.each(["(a+)+$", "(a|aa)+$", "(.*a){30}$", "([a-z]+)*\\d"])(
  "%s is given up when its time is over",
  async (pattern) => {
    await using matcher = await LineMatcher.start(pattern, { leftMs: 100 });
    await expect(matcher.matching([`${"a".repeat(100)}!`], 1)).rejects.toThrow("needs too long");
  },
);

test("a call that is cancelled ends it", async () => {
  const cancelling = new AbortController();
  await using matcher = await LineMatcher.start("(a+)+$", { signal: cancelling.signal });
  const matching = matcher.matching([`${"a".repeat(100)}!`], 1);
  cancelling.abort();
  await expect(matching).rejects.toThrow(PatternError);
});

test("what is not a pattern is an error", async () => {
  await expect(LineMatcher.start("(")).rejects.toThrow(PatternError);
});

test("a pattern with needless escapes is a pattern", async () => {
  await using matcher = await LineMatcher.start("a\\-b");
  expect(await matcher.matching(["a-b"], 1)).toEqual([0]);
});

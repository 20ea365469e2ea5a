import { expect, test } from "vitest";
import { LineMatcher, PatternError } from "../../../mcp-tools/file-search/line-matcher.ts";

test("the first lines that fit are found, by their index", async () => {
  const matcher = await LineMatcher.of("^b|c$");
  expect(await matcher.matching(["a", "b", "xc", "bc"], 2)).toEqual([1, 2]);
  expect(await matcher.matching([], 2)).toEqual([]);
  expect(await matcher.matching(["c"], 2)).toEqual([0]);
});

// An engine that tries one way after the other would not come to an end with the first line.
test.each<[string, number[]]>([
  ["(a+)+$", [1]],
  ["(a|aa)+$", [1]],
  ["(.*a){30}$", []],
  ["([a-z]+)*\\d", []],
])("%s is compared with a line of a million characters", async (pattern, fitting) => {
  const matcher = await LineMatcher.of(pattern);
  expect(await matcher.matching([`${"a".repeat(2 ** 20)}!`, "aaaa"], 2)).toEqual(fitting);
});

test("a search that is cancelled ends", async () => {
  const cancelling = new AbortController();
  const matcher = await LineMatcher.of("a", { signal: cancelling.signal });
  const matching = matcher.matching(["a", "b"], 2);
  cancelling.abort();
  await expect(matching).rejects.toThrow(PatternError);
});

test("a search whose time is over ends with an error that says what to do", async () => {
  const matcher = await LineMatcher.of("a", { leftMs: 0 });
  await expect(matcher.matching(["a"], 1)).rejects.toThrow("make it simpler, or search fewer files");
});

test.each(["(", "(?=a)b", "(?!a)b", "(?<=a)b", "(a)\\1"])(
  "%s is refused, and the error names the syntax",
  async (pattern) => {
    await expect(LineMatcher.of(pattern)).rejects.toThrow(
      /^error parsing regexp: .* read as RE2 reads it, without look/,
    );
  },
);

test("a pattern that grows beyond all use is refused", async () => {
  await expect(LineMatcher.of("x{1000}y{1000}")).rejects.toThrow("too large");
});

test.each([
  ["a\\-b", "a-b"],
  ["\\/x\\_", "/x_"],
  ["\\u00e4\\u{1f600}", "ä😀"],
  ["(?<year>\\d{4})", "in 2025"],
  ["(?i)straSSE", "Strasse"],
  ["^.$", "😀"],
])("%s of JavaScript fits %s", async (pattern, line) => {
  const matcher = await LineMatcher.of(pattern);
  expect(await matcher.matching([line], 1)).toEqual([0]);
});

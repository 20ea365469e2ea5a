import { expect, test } from "vitest";
import { circleIn, LoopDetector } from "../../../mcp-tools/permissions/loop-detector.ts";

const circleOf = (calls: string, limit = 5) => circleIn(calls.split(""), limit);

test.each([
  ["aaaaa", "the same call 5 times in a row"],
  ["xaaaaa", "the same call 5 times in a row"],
  ["ababab", "the same 2 calls 3 times in a row"],
  ["xyabcabcabc", "the same 3 calls 3 times in a row"],
  ["abcdabcdabcd", "the same 4 calls 3 times in a row"],
  ["aabaabaab", "the same 3 calls 3 times in a row"],
])("%s is a circle", (calls, told) => expect(circleOf(calls)).toBe(told));

test.each(["", "aaaa", "aaaab", "ababa", "abcabcabd", "abcdeabcdeabcde", "abcdabcdabc"])("%s is none", (calls) =>
  expect(circleOf(calls)).toBe(null),
);

test("equal calls alone are counted by the limit, not as circles of two", () => {
  expect(circleOf("aaaaaaaaaaaa", 20)).toBe(null);
  expect(circleOf("a".repeat(20), 20)).toBe("the same call 20 times in a row");
});

test("calls are equal whatever the order of their arguments, each run counts by itself, and a circle is told once", () => {
  const loops = new LoopDetector();
  const add = (run: string, args: unknown) => loops.add(run, "get_facet", args, 3);
  expect(add("1", { a: 1, b: 2 })).toBe(null);
  expect(add("1", { b: 2, a: 1 })).toBe(null);
  expect(add("2", { a: 1, b: 2 })).toBe(null);
  expect(add("1", { a: 1, b: 2 })).toBe("the same call 3 times in a row");
  expect(add("1", { a: 1, b: 2 })).toBe(null);
  expect(add("2", { a: 1, b: 3 })).toBe(null);
  expect(add("2", { a: 1, b: 3 })).toBe(null);
  expect(add("2", { a: 1, b: 3 })).toBe("the same call 3 times in a row");
});

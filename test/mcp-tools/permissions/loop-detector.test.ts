import { expect, test } from "vitest";
import { LoopDetector } from "../../../mcp-tools/permissions/loop-detector.ts";
import { circleIn } from "../../../protocol/runs/circle.ts";

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

const answer = (structuredContent: Record<string, unknown>) => ({ content: [], structuredContent });

test("a call that looks at what goes on is the same only as long as it sees the same", () => {
  const loops = new LoopDetector();
  const look = (bytes: number) => {
    const circle = loops.add("1", "process_output", { process_id: "p" }, 3);
    loops.answered("1", "process_output", { process_id: "p" }, answer({ bytes }));
    return circle;
  };
  expect([1, 2, 3, 4, 5, 6].map(look)).toEqual(Array(6).fill(null));
  expect([6, 6].map(look)).toEqual([null, "the same call 3 times in a row"]);
});

test("a call of any other tool is the same whatever comes of it", () => {
  const loops = new LoopDetector();
  const search = (found: number) => {
    const circle = loops.add("1", "search_journal", { query: "q" }, 3);
    loops.answered("1", "search_journal", { query: "q" }, answer({ found }));
    return circle;
  };
  expect([1, 2, 3].map(search)).toEqual([null, null, "the same call 3 times in a row"]);
});

test("waiting for tasks that go on is no circle; a wait that is interrupted again and again is", () => {
  const loops = new LoopDetector();
  const wait = (more: Record<string, unknown>) => {
    const circle = loops.add("1", "task_wait", { taskIds: ["t"] }, 3);
    loops.answered("1", "task_wait", { taskIds: ["t"] }, answer({ done: false, ...more }));
    return circle;
  };
  expect([{}, {}, {}, {}].map(wait)).toEqual([null, null, null, null]);
  const why = { interrupted: "somebody has written to you" };
  expect([why, why, why].map(wait)).toEqual([null, null, "the same call 3 times in a row"]);
});

test("equal calls that a turn makes at once count each, whatever they see", () => {
  const loops = new LoopDetector();
  const begin = () => loops.add("1", "process_list", {}, 3);
  expect([begin(), begin(), begin()]).toEqual([null, null, "the same call 3 times in a row"]);
  // Their results come after it.
  for (const bytes of [1, 2, 3]) loops.answered("1", "process_list", {}, answer({ bytes }));
  expect(begin()).toBe(null);
});

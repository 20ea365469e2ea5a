import { expect, test } from "vitest";
import { type Answer, chosenOf, nextName, opened } from "../../../../page/frame/finder/find-answers.ts";

const answer = (group: string, text: string | null, ...keys: string[]): Answer => ({
  group,
  text,
  found: keys.map((key) => ({ key, text: key, to: `/${key}` })),
  isAway: false,
});
const keyOf = (one: ReturnType<typeof opened>) => one && one.found.key;

test("Enter opens the first find, whatever hasn't answered yet, and waits while there is none", () => {
  const late = [answer("Views", "wren"), answer("Agents", null), answer("Runs", "wren", "run")];
  expect(keyOf(opened(late, "wren", null))).toBe("run");
  expect(keyOf(opened(late.with(1, answer("Agents", "wren", "agent")), "wren", null))).toBe("agent");
  expect(opened(late.slice(0, 2), "wren", null)).toBeNull();
  expect(opened([answer("Views", "wren"), { ...answer("Runs", null), isAway: true }], "wren", null)).toBeNull();
  expect(opened([answer("Views", "wren")], "wren", null)).toBeUndefined();
});

test("what was found for another text isn't opened by Enter, unless one walks to it", () => {
  const stale = [answer("Views", "log"), answer("Runs", "lo", "run")];
  expect(opened(stale, "log", null)).toBeNull();
  expect(keyOf(opened(stale, "log", "Runs run"))).toBe("run");
});

test("what was walked to stays chosen when something is found before it, and gives way when it is gone", () => {
  const found = [answer("Views", "r", "runs"), answer("Runs", "r", "one", "two")];
  expect(chosenOf(found, "Runs two")).toBe("Runs two");
  expect(chosenOf(found.with(0, answer("Views", "r", "a", "b")), "Runs two")).toBe("Runs two");
  expect(chosenOf(found.slice(0, 1), "Runs two")).toBe("Views runs");
});

test("walking goes around both ends", () => {
  const found = [answer("Views", "r", "runs"), answer("Runs", "r", "one", "two")];
  expect(nextName(found, "Runs two", 1)).toBe("Views runs");
  expect(nextName(found, "Views runs", -1)).toBe("Runs two");
  expect(nextName([], undefined, 1)).toBeNull();
});

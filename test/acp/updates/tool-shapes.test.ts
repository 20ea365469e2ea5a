import { expect, test } from "vitest";
import { diffOf, kindOf, newFileOf, textContent, titleOf } from "../../../acp/updates/tool-shapes.ts";

test.each([
  ["read", "read"],
  ["write", "edit"],
  ["Edit", "edit"],
  ["mcp__cortex__grep", "search"],
  ["bash", "execute"],
  ["web_fetch", "fetch"],
  ["todo_add", "other"],
  ["constructor", "other"],
])("a call of %s is of the kind %s", (tool, kind) => {
  expect(kindOf(tool)).toBe(kind);
});

test.each([
  ["bash", { command: "npm  test\n&& ls" }, "npm test && ls"],
  ["read", { path: "a.md" }, "read a.md"],
  ["search_journal", { query: "peas" }, "search_journal peas"],
  ["current_time", {}, "current_time"],
  ["x", null, "x"],
])("the title of a call of %s says what it is about", (tool, args, title) => {
  expect(titleOf(tool, args)).toBe(title);
});

test("a long title is cut", () => {
  expect(titleOf("bash", { command: "x".repeat(500) })).toHaveLength(161);
});

test("an edit is a diff by either name of its arguments; without an old text there is none", () => {
  const diff = [{ type: "diff", path: "/garden/a.md", oldText: "a", newText: "b" }];
  expect(diffOf({ path: "a.md", old_str: "a", new_str: "b" }, "/garden")).toEqual(diff);
  expect(diffOf({ file_path: "/garden/a.md", old_string: "a", new_string: "b" }, undefined)).toEqual(diff);
  expect(diffOf({ path: "a.md", content: "b" }, "/garden")).toEqual([]);
});

test("a file that was made is a diff, one that was replaced isn't: nobody tells what it was", () => {
  const args = { path: "a.md", content: "b" };
  expect(newFileOf("write", args, "a.md: written", "/garden")).toEqual([
    { type: "diff", path: "/garden/a.md", oldText: null, newText: "b" },
  ]);
  expect(newFileOf("write", args, "a.md: replaced", "/garden")).toEqual([]);
});

test("a long result is cut, and an empty one is none", () => {
  expect(JSON.stringify(textContent("x".repeat(100_000))).length).toBeLessThan(33_000);
  expect(textContent(" \n")).toEqual([]);
});

import { expect, test } from "vitest";
import {
  alwaysFor,
  changeOf,
  mainArgument,
  questionOf,
  ruleLines,
  wholeArguments,
} from "../../../../page/words/runs/questions.ts";

const asked = { kind: "call", tool: "bash", args: {}, path: null, why: "asked about" } as const;

test("a question is put as the one who asks would put it", () => {
  expect(questionOf(asked)).toBe("May I run this command?");
  expect(questionOf({ ...asked, tool: "notes.send" })).toBe("May I use notes.send?");
  expect(questionOf({ ...asked, kind: "write", path: "/x" })).toBe("May I change a file outside my folder?");
});

test("the argument that says most stands for all of them", () => {
  expect(mainArgument({ timeout: 3, command: "npm publish" })).toBe("npm publish");
  expect(mainArgument({ count: 3, note: "hello" })).toBe("hello");
  expect([mainArgument(null), mainArgument([1]), mainArgument({ a: 1 }), mainArgument("raw")]).toEqual([
    "",
    "",
    "",
    "raw",
  ]);
});

test("calls that change a text are changes, others are not", () => {
  expect(changeOf({ path: "a", old_str: "x", new_str: "y" })).toEqual({ path: "a", before: "x", after: "y" });
  expect(changeOf({ path: "a", content: "y" })).toEqual({ path: "a", before: "", after: "y" });
  expect([changeOf({ path: "a" }), changeOf(null), changeOf("x"), changeOf({ old_str: "x" })]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test("what would always be allowed is named", () => {
  expect(alwaysFor([{ tool: "write", match: "drafts/*" }])).toBe("Always for drafts/*");
  expect(alwaysFor([{ tool: "bash" }])).toBe("Always for bash");
  expect(alwaysFor([])).toBe("Always");
  const both = ["npm ci", "npm publish"].map((match) => ({ tool: "bash", match }));
  expect([alwaysFor(both), ruleLines(both)]).toEqual(["Always for all 2", ["bash npm ci", "bash npm publish"]]);
});

const long = `${"x".repeat(100)}\n`;

test.each<[string, unknown, unknown]>([
  ["a command that its row shows", { command: "npm ci" }, null],
  ["no arguments", {}, null],
  ["a long command", { command: long }, long],
  ["a short text whose name the row doesn't show", { force: "yes" }, { force: "yes" }],
  ["a command with more", { command: "npm ci", timeout: 3 }, { command: "npm ci", timeout: 3 }],
  ["a list", [1], [1]],
])("of %s whoever decides is shown all that the row doesn't show", (_, args, shown) => {
  expect(wholeArguments(args)).toBe(
    shown === null ? "" : typeof shown === "string" ? shown : JSON.stringify(shown, null, 2),
  );
});

test.each<[string, object, object | null]>([
  ["that says it all", { path: "a", old_str: "x", new_str: "y" }, null],
  ["with more", { path: "a", old_str: "x", new_str: "y", all: true }, { all: true }],
  ["of a whole file, with more", { file_path: "a", content: "y", mode: "0777" }, { mode: "0777" }],
  ["with a path of both names", { path: "a", file_path: "b", content: "y" }, { file_path: "b" }],
  ["with a path that no row shows", { path: long, content: "y" }, { path: long }],
  ["with a text that isn't part of it", { path: "a", old_str: "x", new_str: "y", content: "z" }, { content: "z" }],
])("of a change %s the lines are shown, and here the rest", (_, args, rest) => {
  expect(wholeArguments(args)).toBe(rest === null ? "" : JSON.stringify(rest, null, 2));
});

/** A comment on changes, as it goes back to who made them. */
import { expect, test } from "vitest";
import { commentPrompt, lineAfter } from "../../changes/comment-prompt.ts";

const patch = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@ begin
 one
-two
+2
 three
@@ -10 +10,2 @@
 ten
+++ b/other.txt
diff --git a/other.txt b/other.txt
--- a/other.txt
+++ b/other.txt
@@ -0,0 +1 @@
+other
`;

test.each([
  ["a.txt", 1, "one"],
  ["a.txt", 2, "2"],
  ["a.txt", 3, "three"],
  ["a.txt", 4, null],
  ["a.txt", 11, "++ b/other.txt"],
  ["other.txt", 1, "other"],
  ["none.txt", 1, null],
])("%s, line %i, stands in the patch as %j", (path, line, text) => {
  expect(lineAfter(patch, path, line)).toBe(text);
});

test("a comment says where it stands, and quotes the line", () => {
  expect(commentPrompt({ text: "Use a word.", path: "a.txt", line: 2 }, patch)).toBe(
    "A comment on your changes at a.txt, line 2:\n\n> 2\n\nUse a word.",
  );
  expect(commentPrompt({ text: "Well done." }, patch)).toBe("A comment on your changes:\n\nWell done.");
});

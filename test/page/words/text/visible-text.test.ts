import { expect, test } from "vitest";
import { cutText, visible } from "../../../../page/words/text/visible-text.ts";

test("signs that show nothing or turn the order round are shown; tabs, ends of line and other scripts stay", () => {
  expect(visible("\u001b[31mred\u0000\u007f")).toBe("␛[31mred␀␡");
  expect(visible("a\u202Eb\u2066c\u0085")).toBe("a⟨202E⟩b⟨2066⟩c⟨0085⟩");
  expect(visible("tab\tand\nשלום 👍")).toBe("tab\tand\nשלום 👍");
});

test("a long text is cut between characters", () => {
  expect(cutText("abcd", 4)).toEqual({ text: "abcd", left: 0 });
  const { text, left } = cutText("ab👍d", 3);
  expect([text.isWellFormed(), left]).toEqual([true, 2]);
});

/** Markdown becomes markup of ours alone: whatever the text would bring along is shown as text. */
import { expect, test } from "vitest";
import { markdownBlocks } from "../../../page/markup/markdown-html.ts";

const html = (text: string) =>
  (markdownBlocks(text) ?? [])
    .map((block) => (block.kind === "markup" ? block.html : `[code ${block.language}] ${block.text}`))
    .join("\n");

test("markup within a text is shown, and doesn't become any", () => {
  expect(html(`<script>alert(1)</script>`)).not.toContain("<script");
  expect(html(`a <img src=x onerror=alert(1)> b`)).toContain("&lt;img");
  expect(html(`# <b>x</b>`)).toContain("&lt;b&gt;");
});

test("a picture becomes a link, so that nothing is fetched", () => {
  const made = html("![a cat](https://example.org/cat.png)");
  expect(made).not.toContain("<img");
  expect(made).toContain(`<a href="https://example.org/cat.png" target="_blank" rel="noopener noreferrer">a cat</a>`);
});

test.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/v1/stop", "//example.org"])(
  "%s is not a link",
  (address) => {
    expect(html(`[here](${address})`)).not.toContain("<a ");
  },
);

test("a text that grows keeps its earlier blocks as they were", () => {
  const [first, second] = markdownBlocks("One *word*.\n\n- two") ?? [];
  const grown = markdownBlocks("One *word*.\n\n- two\n- three\n\n```ts\nlet a") ?? [];
  expect(grown[0]).toEqual(first);
  expect(grown[1]).not.toEqual(second);
  expect(grown[2]).toEqual({ kind: "code", language: "ts", text: "let a" });
});

test("a sign that turns the order round is made visible", () => {
  expect(html("\u202Egnp.exe")).toContain("⟨202E⟩gnp.exe");
});

test("a text that is nested too deep, or too long, isn't read as Markdown", () => {
  expect(markdownBlocks("> ".repeat(40))).toBeNull();
  expect(markdownBlocks(`A list:\n\n${"- ".repeat(40)}end`)).toBeNull();
  expect(markdownBlocks("a".repeat(100_001))).toBeNull();
  expect(markdownBlocks(`${"> ".repeat(20)}quoted\n\n${"-".repeat(80)}`)).not.toBeNull();
});

// By the processor's time, which other programs don't lengthen. Each piece takes a tenth of a second; a reader that looks at every
// end for every beginning takes minutes.
test("a text made to be slow takes no more than a long one", () => {
  for (const piece of ["[](", "*a ", "`", "> ", "- ", "|a", "<a ", "[a]: ", "![[", "_*"]) {
    const text = piece.repeat(Math.floor(100_000 / piece.length));
    const before = process.cpuUsage();
    markdownBlocks(text);
    const { user } = process.cpuUsage(before);
    expect.soft({ piece, isSlow: user > 5_000_000 }).toEqual({ piece, isSlow: false });
  }
});

/** Markdown as Telegram shows it. */
import { expect, test } from "vitest";
import { htmlOf, plainOf } from "../../../../channels/telegram/format/html.ts";
import { piecesOf } from "../../../../channels/telegram/format/markdown.ts";

test.each<[string, string, string]>([
  ["emphasis", "**bold**, *it*, ~~gone~~, `x < y`", "<b>bold</b>, <i>it</i>, <s>gone</s>, <code>x &lt; y</code>"],
  ["styles in each other", "**b *bi* b**", "<b>b <i>bi</i> b</b>"],
  ["code in bold, which Telegram has not", "**a `b` c**", "<b>a </b><code>b</code><b> c</b>"],
  ["names with _", "input_tokens and a*b", "input_tokens and a*b"],
  ["lines and paragraphs", "a\nb\n\nc", "a\nb\n\nc"],
  ["a heading", "# Title\ntext\n\n## Next", "<b>Title</b>\ntext\n\n<b>Next</b>"],
  ["a list", "- a\n- b\n  - c\n", "• a\n• b\n  • c"],
  ["a numbered list", "3. a\n4. b\n   more", "3. a\n4. b\n   more"],
  ["tasks apart", "- [x] a\n\n- [ ] b", "☑ a\n\n☐ b"],
  ["tasks", "- [x] a\n- [ ] b", "☑ a\n☐ b"],
  ["code", "```py\nif a < b:\n    c()\n```", '<pre><code class="language-py">if a &lt; b:\n    c()</code></pre>'],
  ["code without a language", "```\na\n```", "<pre>a</pre>"],
  ["a language that is none", '```"><b>\na\n```', "<pre>a</pre>"],
  ["a quote", "> a\n> > b\n\nc", "<blockquote>a\nb</blockquote>\n\nc"],
  ["a link", "[a&b](https://x.test/?a=1&b=2)", '<a href="https://x.test/?a=1&amp;b=2">a&amp;b</a>'],
  ["a bare address", "see https://x.test.", 'see <a href="https://x.test">https://x.test</a>.'],
  [
    "a mailbox, and a user",
    "<a@b.test> [u](tg://user?id=7)",
    '<a href="mailto:a@b.test">a@b.test</a> <a href="tg://user?id=7">u</a>',
  ],
  [
    "an address that leads elsewhere",
    "[a](javascript:alert(1)) [f](file:///etc)",
    "a (javascript:alert(1)) f (file:///etc)",
  ],
  ["a picture", "![a cat](https://x.test/c.png)", '<a href="https://x.test/c.png">a cat</a>'],
  ["a line across", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["markup of its own", "<b>a</b> <script>x</script>", "&lt;b&gt;a&lt;/b&gt; &lt;script&gt;x&lt;/script&gt;"],
  [
    "signs as HTML has them",
    "&lt;a&gt; &#128512; &amp;lt; &nope; `&lt;`",
    "&lt;a&gt; 😀 &amp;lt; &amp;nope; <code>&amp;lt;</code>",
  ],
  ["nothing that is seen", "[a]: https://x.test", "[a]: https://x.test"],
  ["half a character", "a\uD83D b", "a\uFFFD b"],
  ["a small table", "| a | b |\n|---|---|\n| one | 2 |", "<pre>a    b\n───  ─\none  2</pre>"],
  [
    "a wide table",
    `| a | b |\n|---|---|\n| **one** | ${"two ".repeat(10)}|`,
    `<b>a</b> | <b>b</b>\n<b>one</b> | ${"two ".repeat(10).trim()}`,
  ],
])("%s", (_, markdown, html) => {
  expect(htmlOf(piecesOf(markdown)).html).toBe(html);
});

test("without markup the address of a link stands behind its text, where there is room", () => {
  const pieces = piecesOf("see [**the** page](https://x.test/a), https://y.test and <a@b.test>");
  expect(plainOf(pieces, 100)).toBe("see the page (https://x.test/a), https://y.test and a@b.test");
  expect(plainOf(pieces, 50)).toBe("see the page, https://y.test and a@b.test");
});

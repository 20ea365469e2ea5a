import { expect, test } from "vitest";
import { pageText } from "../../files/page-text.ts";

const textOf = async (html: string, most = 10_000) => (await pageText(html, "https://example.com/a/b", most)).text;

test("a page becomes the text that its reader sees", async () => {
  const page = await pageText(
    `<!doctype html><html><head><title> The   Harbor </title><style>p { color: red }</style><script>alert("<p>x")</script></head>
     <body><nav><a href="/home">Home</a> <a href="#top">Up</a></nav>
     <h1>Tides &amp; winds</h1><p>High at   <b>six</b>, low at noon.</p><p>See <a href="../tables?x=1">the tables</a>.<br>Or ask.</p>
     <ul><li>one<li>two <i>three</i></ul>
     <table><tr><th>Day<th>Height</tr><tr><td>Mon</td><td>2&nbsp;m</td></tr></table>
     <pre>a
  b</pre><img alt="A boat" src="x"><template>hidden</template><a href="javascript:x()">click</a></body></html>`,
    "https://example.com/a/b",
    10_000,
  );
  expect(page.title).toBe("The Harbor");
  expect(page.isCut).toBe(false);
  expect(page.text).toBe(
    `Home (https://example.com/home) Up

# Tides & winds

High at six, low at noon.

See the tables (https://example.com/tables?x=1).
Or ask.

- one
- two three

Day | Height
Mon | 2 m

a
  b

[A boat]click`,
  );
});

test.each([
  ["plain text", "plain text"],
  ["a<script>never closed <p>x", "a"],
  ["a</p></p></script>b", "a\n\nb"],
  ["<a href=https://example.com/x>https://example.com/x</a>", "https://example.com/x"],
  ["a\u202eb\u200b\u0007c", "abc"],
  ["&lt;script&gt;", "<script>"],
  ["", ""],
])("%j becomes %j", async (html, text) => {
  expect(await textOf(html)).toBe(text);
});

test("a text longer than was asked for is cut, and says so", async () => {
  const { text, isCut } = await pageText("<p>word</p>".repeat(1_000), "https://example.com/", 100);
  expect([text.length, isCut]).toEqual([100, true]);
});

test.each([
  ["elements in elements", "<b>".repeat(1_000_000) + "</i>".repeat(500_000)],
  ["links in links", `${"<a href=/x>".repeat(900)}${"word ".repeat(10_000)}${"</a>".repeat(900)}`],
  ["cells without end", "<td>".repeat(1_000_000)],
  ["what never ends", "<".repeat(2_000_000)],
  ["attributes", `<p ${"a=b ".repeat(500_000)}>`],
])("%s keep nobody busy for long", async (_, html) => {
  expect((await pageText(html, "https://example.com/", 100_000)).text.length).toBeLessThanOrEqual(100_000);
});

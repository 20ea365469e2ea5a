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

test.each([
  ["the attribute", "<p hidden>no</p>"],
  ["display", '<div style="color: red; DISPLAY : None !important">no<p>no</p></div>'],
  [
    "what can't be undone within",
    '<div style="display:none"><p style="display:block; visibility:visible">no</p></div>',
  ],
  ["visibility", '<span style="visibility:hidden">no <b>no</b></span>'],
  ["size", '<span style="font-size:0px">no <b style="font-size:1em">no</b></span>'],
  ["the last of a name", '<p style="display:block;display:none">no</p>'],
  ["one that is important", '<p style="display:none !important;display:block">no</p>'],
  ["a preheader", '<div style="max-height:0;overflow:hidden;mso-hide:all">no</div>'],
  ["a preheader of a pixel", '<div style="font-size:1px;mso-hide:all">no</div>'],
  [
    "links, pictures, lists and cells",
    '<div hidden><a href="/x">no</a><img alt="no"><ul><li>no</ul><table><tr><td>no</table></div>',
  ],
  ["what isn't closed", "<div><p><span hidden>no</p></div>"],
  ["what is cut off", "yes<div hidden>no"],
])("nobody reads what is hidden by %s", async (_, html) => {
  expect(await textOf(`<p>before</p>${html}`)).not.toContain("no");
  expect((await textOf(`<p>before</p><div>${html}</div>behind`)).startsWith("before")).toBe(true);
});

test.each([
  ["behind a hidden element", "<p hidden>no<br><img alt=no></p>yes", "yes"],
  ["where a size is set anew", '<td style="font-size:0px"><div style="font-size:13px">yes</div></td>', "yes"],
  ["where a size is in ems of the root", '<td style="font-size:0"><div style="font-size:1rem">yes</div></td>', "yes"],
  [
    "in an element that is visible again",
    '<p style="visibility:hidden">no<b style="visibility:visible">yes</b></p>',
    "yes",
  ],
  [
    "hidden from Outlook alone",
    '<a href="https://a.example/" style="font-size:13px;mso-hide:all">yes</a>',
    "yes (https://a.example/)",
  ],
  ["shown although it is marked", '<p hidden style="display:block">yes</p>', "yes"],
  ["to be found", '<p hidden="until-found">yes</p>', "yes"],
  ["in a page that a script shows", '<html><body style="display:none"><p>yes</p></body></html>', "yes"],
  [
    "beside other styles",
    '<p style="display:block;background:url(data:image/png;base64,display:none);font-size:10px">yes</p>',
    "yes",
  ],
  ["behind a style that is none", '<p style=";;display;:none">yes</p>', "yes"],
])("what is shown is read: %s", async (_, html, text) => {
  expect(await textOf(html)).toBe(text);
});

/** Hostile texts by kind: what a model, a file or a person may write into any field of the page. Each begins with its sign. */

export type HostileKind = {
  /** A word that stands in each text of this kind, by which a test finds it. */
  sign: string;
  /** For names and titles: a line, of at most `longestName` characters. */
  name: string;
  /** For what is written at length. */
  text: string;
};

const longestName = 180;

/** Would be seen by `page-harm.ts` if it ran. */
const hit = "globalThis.hit=1";
/** Where nobody may ask. */
const elsewhere = "https://example.org";

const inPieces = (...pieces: string[]) => pieces.join("\n\n");

/** Elements that run something, load something, cover the page, or break out of where they are put. */
const markup = inPieces(
  `<script>${hit}</script><img src=x onerror="${hit}"><img/src=x/onerror=${hit}>`,
  `<svg onload="${hit}"><script>${hit}</script><animate onbegin="${hit}"/><foreignObject><img src=x onerror="${hit}"></foreignObject></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=${hit}>"></math>`,
  `"'><img src=x onerror=${hit}> </textarea></title></style></script></pre></template><script>${hit}</script>`,
  `<iframe srcdoc="<script>parent.hit=1</script>"></iframe><object data="data:text/html,<script>${hit}</script>"></object><embed src="${elsewhere}">`,
  `<style>* { display: none !important } @import url(${elsewhere}/a.css);</style><link rel=stylesheet href=${elsewhere}/b.css>`,
  `<div style="position:fixed;inset:0;z-index:9999;background:url(${elsewhere}/c.png)">covers all</div>`,
  `<base href="${elsewhere}/"><meta http-equiv=refresh content="0;url=${elsewhere}"><form action="${elsewhere}"><button autofocus onfocus="${hit}">Send</button></form>`,
  `<a id=app name=body href="javascript:${hit}">x</a><details open ontoggle="${hit}"><summary>x</summary></details>`,
  `{{constructor.constructor('${hit}')()}} \${${hit}} <%= ${hit} %> #{${hit}} &lt;script&gt; &#x202E;&#0; &amp;amp;`,
  `javascript:${hit} data:text/html,<script>${hit}</script>`,
);

/** Markdown whose links, pictures and elements would do the same, and that is nested deep. */
const markdown = inPieces(
  `# [a](javascript:${hit}) [b](JaVaScRiPt:${hit}) [c](data:text/html;base64,PHNjcmlwdD4) [d](vbscript:x) [e][ref] <javascript:${hit}>`,
  `![x](${elsewhere}/a.png "title") ![y](data:image/svg+xml;utf8,<svg onload="${hit}"/>) ![z](//example.org/z.png) <img src="${elsewhere}/h.png">`,
  `[ref]: javascript:${hit} "a\\" onmouseover=\\"${hit}"`,
  `| a <script>${hit}</script> | ${"b".repeat(400)} |${" c |".repeat(60)}\n| - | - |${" - |".repeat(60)}\n| <b onclick="${hit}">d</b> | e |`,
  `${">".repeat(200)} deep`,
  Array.from({ length: 60 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n"),
  `\`\`\`html"onload="${hit}\n</code></pre><script>${hit}</script> ${"x".repeat(500)}\n\`\`\``,
  `<!-- never ends <script>${hit}</script>`,
);

/** Letters that run from right to left, numbers among them, and signs that would turn round what stands behind them. */
const arabic = "שלום עולם 12 3.4%";
const turned = "\u202Egnp.exe\u202D \u2067one\u2066 two\u200F \u061C";
const direction = inPieces(`${arabic} ${turned}`, `${arabic}, (a) [b] 56`, `مرحبا ${turned} x`);

/** Signs that show nothing, or stack on each other, and emoji of many signs. */
const family = "👩‍👩‍👧‍👦";
const stacked = `Z${"\u0335\u0321\u0489\u030d\u0342\u0353".repeat(12)}o`;
const invisible = inPieces(
  `a\u200Bb\u00ADc\u2060d\uFEFFe\u{E0041}\u{E0042} ${stacked.repeat(6)}`,
  `${family.repeat(300)} 🏳️‍🌈🇩🇪❤️`,
  `\u115F\u3164\u2800\u00A0 ${"\u200D".repeat(300)}x`,
);

/** Signs that move a cursor or end a text, and halves of characters. */
const controls = inPieces(
  "\u001b[31mred\u001b[2J\u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u009b1m",
  "nul \u0000 bell \u0007 back \b\b\b form \f vertical \v return\rover del \u007f high \u0085\u0090",
  "separators \u2028 and \u2029, half a sign \ud83d and another \udc69",
);

const word = "W".repeat(4000);

const texts: Readonly<Record<string, { name: string; text: string }>> = {
  markup: { name: `<img src=x onerror="${hit}"><script>${hit}</script></title><b onclick="${hit}">b`, text: markup },
  markdown: { name: `[y](javascript:${hit}) ![x](${elsewhere}/n.png) **b** \`c\` # d`, text: markdown },
  direction: { name: `${arabic} ${turned}`, text: direction },
  invisible: { name: `a\u200Bb\u00AD ${stacked} ${family.repeat(3)}`, text: invisible },
  controls: { name: "\u001b[31mred\u001b[0m \u0007\u0001 nul \u0085 x\ry\tz", text: controls },
  wide: {
    name: word.slice(0, 170),
    text: `${word}\n\n${"漢".repeat(500)} https://${"w".repeat(900)}.org/${"p/".repeat(500)}`,
  },
  megabyte: { name: "W ".repeat(85), text: `megabyte ${"x".repeat(1_000_000)}` },
  lines: { name: "l1\nl2\n\n\nl3", text: Array.from({ length: 4000 }, (_, line) => `l${line}`).join("\n") },
};

export const hostileKinds: readonly HostileKind[] = Object.entries(texts).map(([kind, { name, text }]) => {
  const sign = `odd${kind}`;
  return { sign, name: `${sign} ${name}`.slice(0, longestName), text: `${sign} ${text}` };
});

/** A text as it may be in the name of a file on this system: no slash, no end of a text, and short. */
export const asFileName = (text: string): string =>
  [...text.toWellFormed().replaceAll(/[/\\\0\n]/g, "_")].slice(0, 55).join("");

/** A text where there is room for only so many characters. */
export const cutTo = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/** A text as the API takes it: without halves of characters and what ends a text, which are refused. */
export const sendable = (text: string, most: number): string => cutTo(text.toWellFormed().replaceAll("\0", ""), most);

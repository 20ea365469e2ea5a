/**
 * The text of a page of HTML, for a model: without scripts, styles and what is hidden, with its headings, lists, tables and links. Not by
 * html-to-text, which parses a page in one go: a page of 5 MB kept everybody waiting for 16 s, 1 MB of nested tags for 91 s
 * (here for 0.3 s and 0.6 s, on a busy machine), and it shows templates, noscript and javascript: links.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { HiddenElements } from "./hidden-elements.ts";

export type PageText = { title: string; text: string; isCut: boolean };

/** The elements whose content isn't read by anybody. */
const unread = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "svg",
  "iframe",
  "object",
  "canvas",
  "audio",
  "video",
]);

/** Where a line begins and ends. */
const blocks = new Set(
  (
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr html li main nav ol option p pre section select summary table tbody tfoot thead title tr ul"
  ).split(" "),
);
/** Blocks with an empty line around them. */
const spaced = new Set([
  "article",
  "blockquote",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ol",
  "p",
  "pre",
  "section",
  "table",
  "ul",
]);

/** So much is parsed at a time: others are served in between. In characters. */
const pieceCharacters = 64 * 1024;
/** No page is nested like this but to keep its readers busy. */
const maxDepth = 1_000;
const maxTitleCharacters = 300;

/** @param base what links of the page are relative to */
export async function pageText(html: string, base: string, maxCharacters: number): Promise<PageText> {
  // Large, and needed by this tool alone.
  const { Parser } = await import("htmlparser2");
  const out = new Layout(base);
  const parser = new Parser({
    onopentag: (name, attributes) => out.open(name, attributes),
    onclosetag: (name) => out.close(name),
    ontext: (text) => out.text(text),
  });
  let at = 0;
  for (; at < html.length && out.length <= maxCharacters && out.depth <= maxDepth; at += pieceCharacters) {
    parser.write(html.slice(at, at + pieceCharacters));
    await nextTurn();
  }
  const isWhole = at >= html.length;
  if (isWhole && out.depth <= maxDepth) parser.end();
  const text = out.whole();
  return {
    title: out.title.replace(/\s+/g, " ").trim().slice(0, maxTitleCharacters).toWellFormed(),
    text: text.slice(0, maxCharacters).toWellFormed(),
    isCut: !isWhole || text.length > maxCharacters,
  };
}

/** Removes characters that hide words or turn their direction, and would show a model other text than a reader sees. */
export function legibleText(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
}

/** The last cell of a row needs no line after it. By hand: a pattern looks at a long row once for each of its cells. */
function withoutLastCells(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "|")) end--;
  return line.slice(0, end);
}

/** Puts text where a reader would see it. */
class Layout {
  title = "";
  depth = 0;
  length = 0;
  readonly #base: string;
  readonly #parts: string[] = [];
  readonly #hidden: HiddenElements = new HiddenElements();
  #unread = 0;
  #preformatted = 0;
  #isTitle = false;
  /** How many ends of lines, or a space, come before the next text. */
  #ends = 0;
  #hasSpace = false;
  #links: { href: string | undefined; from: number }[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    this.#hidden.open(name, attributes);
    if (unread.has(name)) this.#unread++;
    if (name === "title" && this.title === "") this.#isTitle = true;
    if (name === "pre") this.#preformatted++;
    if (blocks.has(name)) this.#end(spaced.has(name) ? 2 : 1);
    if (name === "br") this.#end(this.#ends + 1);
    if (name === "td" || name === "th") this.#hasSpace = true;
    if (name === "li") this.#put("- ");
    if (/^h[1-6]$/.test(name)) this.#put(`${"#".repeat(Number(name[1]))} `);
    if (name === "img" && attributes["alt"]?.trim()) this.text(`[${attributes["alt"].trim()}]`);
    if (name === "a") this.#links.push({ href: this.#target(attributes["href"]), from: this.#parts.length });
  }

  close(name: string): void {
    this.depth--;
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1);
    if (name === "title") this.#isTitle = false;
    if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (name === "a") this.#closeLink();
    if (blocks.has(name)) this.#end(spaced.has(name) ? 2 : 1);
    if (name === "td" || name === "th") this.text(" | ");
    this.#hidden.close();
  }

  text(text: string): void {
    if (this.#isTitle) this.title += text.slice(0, maxTitleCharacters);
    if (this.#isTitle || this.#unread > 0 || this.#hidden.isHidden) return;
    if (this.#preformatted > 0) return this.#put(text);
    const words = text.replace(/\s+/g, " ");
    if (words.startsWith(" ")) this.#hasSpace = true;
    if (words.trim() === "") return;
    this.#put(words.trim());
    this.#hasSpace = words.endsWith(" ");
  }

  whole(): string {
    return legibleText(this.#parts.join("").split("\n").map(withoutLastCells).join("\n")).trim();
  }

  #end(count: number): void {
    this.#ends = Math.min(2, Math.max(this.#ends, count));
    this.#hasSpace = false;
  }

  #put(text: string): void {
    if (this.#unread > 0 || this.#hidden.isHidden) return;
    const isFirst = this.#parts.length === 0;
    const before = isFirst ? "" : this.#ends > 0 ? "\n".repeat(this.#ends) : this.#hasSpace ? " " : "";
    this.#parts.push(before, text);
    this.length += before.length + text.length;
    this.#ends = 0;
    this.#hasSpace = false;
  }

  #closeLink(): void {
    const link = this.#links.pop();
    if (link?.href === undefined) return;
    const said = this.#parts.slice(link.from).join("").trim();
    if (said === "" || said === link.href) return;
    const { href } = link;
    const hadSpace = this.#hasSpace;
    this.#hasSpace = true;
    this.#put(`(${href})`);
    this.#hasSpace = hadSpace;
  }

  #target(href: string | undefined): string | undefined {
    if (href === undefined || href.startsWith("#") || !URL.canParse(href, this.#base)) return undefined;
    const url = new URL(href, this.#base);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  }
}

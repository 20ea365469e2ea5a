/** An answer's Markdown as the HTML of a mail: what mail programs show, and everything else as text. Nothing is fetched by it. Pure. */
import { Marked, type Renderer, type Token, type Tokens } from "marked";

/** Characters of a text that is read as Markdown: a longer one takes too long. */
const longestMarkdown = 100_000;

/** A line that opens 40 quotes or lists within each other: reading those takes a second and more, and shows nothing. */
const nestedTooDeep = /^(?:[ \t]{0,20}>|[ \t]{0,20}(?:[*+-]|\d{1,9}[.)])[ \t]){40}/m;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

type Inline = { parser: { parseInline: (tokens: Token[]) => string } };

const renderer: Partial<Renderer> & ThisType<Inline> = {
  html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
  link({ href, tokens }: Tokens.Link) {
    return linkTo(href, this.parser.parseInline(tokens));
  },
  image: ({ href, text }: Tokens.Image) => linkTo(href, escaped(text === "" ? href : text)),
  checkbox: ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ "),
  code: ({ text }: Tokens.Code) => `<pre><code>${escaped(text)}</code></pre>\n`,
};

const marked = new Marked({ gfm: true, breaks: true, renderer });

/** A whole page. A text that can't be read as Markdown stands there as it is. */
export function markdownHtml(text: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${bodyOf(text)}</body></html>\n`;
}

function bodyOf(text: string): string {
  const plain = `<pre style="white-space: pre-wrap">${escaped(text)}</pre>\n`;
  if (text.length > longestMarkdown || nestedTooDeep.test(text)) return plain;
  try {
    return marked.parse(text, { async: false });
  } catch {
    return plain;
  }
}

/** Only what leads to a page or a mailbox is a link; anything else is its text, and where it would lead. */
function linkTo(href: string, html: string): string {
  if (!/^(?:https?:|mailto:)/i.test(href)) return html === escaped(href) ? html : `${html} (${escaped(href)})`;
  return `<a href="${escaped(href)}">${html}</a>`;
}

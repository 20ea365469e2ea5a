/**
 * Markdown becomes pieces of markup, a piece a block, so that a text which grows changes its last block alone. Whatever markup the
 * text itself has is shown as text. No picture is fetched: a picture becomes a link to it.
 */
import { Marked, type Renderer, type Token, type Tokens } from "marked";
import { visible } from "../words/text/visible-text.ts";

/** Characters of a text that is read as Markdown: a longer one holds up the page. */
const longestMarkdown = 100_000;

/** A line that opens 40 quotes or lists within each other: reading those takes a second and more, and shows nothing. */
const nestedTooDeep = /^(?:[ \t]*>|[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]){40}/m;

export type Block = { kind: "markup"; html: string } | { kind: "code"; language: string; text: string };

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

type Inline = { parser: { parseInline: (tokens: Token[]) => string } };

const renderer: Partial<Renderer> & ThisType<Inline> = {
  html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
  // A view has its own headings: those of a text stand below them, and are no steps of its outline.
  heading({ tokens, depth }: Tokens.Heading) {
    return `<p class="md-h md-h${depth}">${this.parser.parseInline(tokens)}</p>`;
  },
  link({ href, tokens }: Tokens.Link) {
    return linkTo(href, this.parser.parseInline(tokens));
  },
  image: ({ href, text }: Tokens.Image) => linkTo(href, escaped(text === "" ? href : text)),
  checkbox: ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ "),
  code: ({ text }: Tokens.Code) =>
    `<pre class="out" tabindex="0" role="group" aria-label="Code"><code>${escaped(text)}</code></pre>`,
};

const marked = new Marked({ gfm: true, renderer });

/** The blocks of a text; null where it can't be read as Markdown: it is too long, or nested too deep. */
export function markdownBlocks(text: string): Block[] | null {
  if (text.length > longestMarkdown || nestedTooDeep.test(text)) return null;
  try {
    return marked.lexer(visible(text)).flatMap(blockOf);
  } catch {
    return null;
  }
}

function blockOf(token: Token): Block[] {
  if (token.type === "space" || token.type === "def") return [];
  if (token.type === "code") {
    const { text, lang = "" } = token as Tokens.Code;
    return [{ kind: "code", language: lang.trim().split(/\s/, 1)[0]?.toLowerCase() ?? "", text }];
  }
  const html = marked.parser([token]);
  if (token.type !== "table") return [{ kind: "markup", html }];
  // It scrolls: the keyboard has to get there, too.
  const scroll = `<div class="grid-scroll" tabindex="0" role="group" aria-label="Table">${html}</div>`;
  return [{ kind: "markup", html: scroll }];
}

/** Only what leads to a page or a mailbox is a link; anything else is its text, and where it would lead. */
function linkTo(href: string, html: string): string {
  if (!/^(?:https?:|mailto:)/i.test(href)) return html === escaped(href) ? html : `${html} (${escaped(href)})`;
  return `<a href="${escaped(href)}" target="_blank" rel="noopener noreferrer">${html}</a>`;
}

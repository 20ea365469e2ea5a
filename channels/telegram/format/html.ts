/** Styled text as Telegram's HTML, and without any markup. Pure. */
import { type Piece, type Style, textOf } from "./styled-text.ts";

/** Writes pieces as HTML. @returns also how many styles are opened: Telegram keeps 100 of a message */
export function htmlOf(pieces: readonly Piece[]): { html: string; entities: number } {
  let html = "";
  let entities = 0;
  let open: readonly Style[] = [];
  const close = (from: number) => {
    for (const style of open.slice(from).toReversed()) html += endOf(style);
  };
  for (const { text, styles } of pieces) {
    const common = commonLength(open, styles);
    close(common);
    for (const style of styles.slice(common)) html += beginOf(style);
    entities += styles.length - common;
    html += escaped(text);
    open = styles;
  }
  close(0);
  return { html, entities };
}

/** Writes pieces as plain text, with the addresses of links behind their texts. @param max characters: where it would be longer, without */
export function plainOf(pieces: readonly Piece[], max: number): string {
  let plain = "";
  for (const [index, { text, styles }] of pieces.entries()) {
    plain += text;
    const link = linkIn(styles);
    const isLast = link !== undefined && linkIn(pieces[index + 1]?.styles ?? []) !== link;
    if (isLast && !plain.endsWith(link.href.replace(/^mailto:/i, ""))) plain += ` (${link.href})`;
  }
  return plain.length <= max ? plain : textOf(pieces);
}

const linkIn = (styles: readonly Style[]) => styles.find((style) => style.tag === "a");

function commonLength(some: readonly Style[], others: readonly Style[]): number {
  const differs = some.findIndex((style, index) => style !== others[index]);
  return differs === -1 ? some.length : differs;
}

function beginOf(style: Style): string {
  if (style.tag === "a") return `<a href="${escaped(style.href)}">`;
  if (style.tag !== "pre") return `<${style.tag}>`;
  return style.language === "" ? "<pre>" : `<pre><code class="language-${escaped(style.language)}">`;
}

const endOf = (style: Style) => (style.tag === "pre" && style.language !== "" ? "</code></pre>" : `</${style.tag}>`);

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

/** Markdown becomes styled text. What Telegram has no style for is text that can be read: lists, tables, lines across. Pure. */
import { Lexer, type Token, type Tokens } from "marked";
import { type Piece, type Style, textOf, within } from "./styled-text.ts";
import { tablePieces } from "./table.ts";

/** Characters, and signs of emphasis, of a text that is read as Markdown: a longer one would hold up the channel. */
const longestMarkdown = 60_000;
const mostSigns = 4000;

/** A line that opens 40 quotes or lists within each other: reading those takes a second and more, and shows nothing. */
const nestedTooDeep = /^(?:[ \t]*>|[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]){40}/m;

/** Characters of an address: longer ones are no link. */
const longestAddress = 2000;
const linkPattern = /^(?:https?:\/\/|mailto:|tg:)[^\s<>"]+$/i;
const languagePattern = /^[\w+#.-]{1,40}$/;

const line = "———";

/** Reads a text. One that is too long or too deep to be read as Markdown is one piece, as it is. */
export function piecesOf(markdown: string): Piece[] {
  const text = markdown.toWellFormed().replaceAll(/\r\n?/g, "\n");
  const asItIs = [{ text, styles: [] }];
  if (text.length > longestMarkdown || signsIn(text) > mostSigns || nestedTooDeep.test(text)) return asItIs;
  const pieces = blocks(new Lexer({ gfm: true }).lex(text), []);
  // Nothing that can be seen, such as the address of a link that isn't there.
  return textOf(pieces).trim() === "" ? asItIs : pieces;
}

function signsIn(text: string): number {
  let count = 0;
  for (const sign of text) if (sign === "*" || sign === "_") count++;
  return count;
}

/** Blocks one below the other, as far from each other as they were. */
function blocks(tokens: readonly Token[], styles: readonly Style[]): Piece[] {
  const pieces: Piece[] = [];
  let isApart = false;
  let isBeside = true;
  for (const token of tokens) {
    const made = token.type === "space" || token.type === "def" ? [] : block(token, styles);
    if (made.length > 0) {
      if (!isBeside) pieces.push({ text: isApart ? "\n\n" : "\n", styles });
      pieces.push(...made);
      isApart = false;
      // The text of a task stands behind its box.
      isBeside = token.type === "checkbox";
    }
    isApart ||= token.type === "space" || /\n[ \t]*\n[ \t]*$/.test(token.raw.slice(-100));
  }
  return pieces;
}

function block(token: Token, styles: readonly Style[]): Piece[] {
  switch (token.type) {
    case "heading":
      return inline((token as Tokens.Heading).tokens, within(styles, { tag: "b" }));
    case "code": {
      const { text, lang = "" } = token as Tokens.Code;
      const [name = ""] = lang.trim().split(/\s/, 1);
      const language = languagePattern.test(name) ? name : "";
      return text === "" ? [] : [{ text, styles: within(styles, { tag: "pre", language }) }];
    }
    case "blockquote":
      return blocks((token as Tokens.Blockquote).tokens, within(styles, { tag: "blockquote" }));
    case "list":
      return list(token as Tokens.List, styles);
    case "table":
      return tablePieces(token as Tokens.Table, styles, inline);
    case "hr":
      return [{ text: line, styles }];
    case "html":
      return [{ text: (token as Tokens.HTML).text.trimEnd(), styles }];
    default:
      return "tokens" in token && token.tokens ? inline(token.tokens, styles) : inline([token], styles);
  }
}

function list({ items, ordered, start, loose }: Tokens.List, styles: readonly Style[]): Piece[] {
  const first = start === "" ? 1 : start;
  return items.flatMap((item, index) => {
    const marker = ordered ? `${first + index}. ` : item.task ? "" : "• ";
    const below = index === 0 ? "" : loose ? "\n\n" : "\n";
    const content = blocks(item.tokens, styles);
    return [{ text: below + marker, styles }, ...indented(content, " ".repeat(ordered ? marker.length : 2))];
  });
}

/** The same, each line but the first further to the right. Code stays as it is: it may be copied. */
const indented = (pieces: readonly Piece[], by: string): Piece[] =>
  pieces.map(({ text, styles }) =>
    styles.some(({ tag }) => tag === "pre") ? { text, styles } : { text: text.replaceAll("\n", `\n${by}`), styles },
  );

function inline(tokens: readonly Token[], styles: readonly Style[]): Piece[] {
  return tokens.flatMap((token): Piece[] => {
    switch (token.type) {
      case "strong":
        return inline((token as Tokens.Strong).tokens, within(styles, { tag: "b" }));
      case "em":
        return inline((token as Tokens.Em).tokens, within(styles, { tag: "i" }));
      case "del":
        return inline((token as Tokens.Del).tokens, within(styles, { tag: "s" }));
      case "codespan":
        return [{ text: (token as Tokens.Codespan).text, styles: within(styles, { tag: "code" }) }];
      case "link": {
        const { href, text, tokens: said, autolink } = token as Tokens.Link;
        if (autolink) return link(href, (inside) => [{ text, styles: inside }], styles);
        return link(decoded(href), (inside) => inline(said, inside), styles);
      }
      case "image": {
        const { href, text } = token as Tokens.Image;
        return link(decoded(href), (inside) => [{ text: text === "" ? href : decoded(text), styles: inside }], styles);
      }
      case "br":
        return [{ text: "\n", styles }];
      case "checkbox":
        return [{ text: (token as Tokens.Checkbox).checked ? "☑ " : "☐ ", styles }];
      case "html":
        return [{ text: /^<br *\/?>$/i.test(token.raw) ? "\n" : token.raw, styles }];
      case "text": {
        const { tokens: inside, text, escaped } = token as Tokens.Text;
        return inside ? inline(inside, styles) : [{ text: escaped ? text : decoded(text), styles }];
      }
      default:
        return [{ text: "text" in token ? String(token["text"]) : token.raw, styles }];
    }
  });
}

/** A link where it leads to a page, a mailbox or within Telegram; else its text, and where it would lead. */
function link(href: string, say: (styles: readonly Style[]) => Piece[], styles: readonly Style[]): Piece[] {
  if (href.length <= longestAddress && linkPattern.test(href)) return say(within(styles, { tag: "a", href }));
  const said = say(styles);
  return href === "" || textOf(said) === href ? said : [...said, { text: ` (${href})`, styles }];
}

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00A0" };

/** Text whose signs may be written with HTML's names. Their numbers are read by the lexer. */
const decoded = (text: string) => text.replaceAll(/&([a-z]{2,4});/g, (all, name: string) => named[name] ?? all);

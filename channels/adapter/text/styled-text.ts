/**
 * An answer's Markdown as text that a phone shows as it is, and which ranges of it are styled, for services that take these.
 * Pure.
 */
import { lexer, type Token, type Tokens } from "marked";

export type TextStyle = "BOLD" | "ITALIC" | "STRIKETHROUGH" | "MONOSPACE";

/** A range in UTF-16 units. */
export type StyledRange = { start: number; length: number; style: TextStyle };

export type StyledText = { text: string; ranges: StyledRange[] };

/** Characters from which a text is sent as it was written: reading it would take too long. */
const mostRead = 64 * 1024;

/** Blocks that begin on a line of their own, whatever stands before them. */
const ownLines = new Set(["heading", "paragraph", "code", "blockquote", "list", "table", "hr"]);

export function styledText(markdown: string): StyledText {
  if (markdown.length > mostRead) return { text: markdown.trim(), ranges: [] };
  const writer = new StyleWriter();
  try {
    writer.blocks(lexer(markdown));
  } catch {
    // Nested deeper than the reader goes: it is still a text.
    return { text: markdown.trim(), ranges: [] };
  }
  return writer.trimmed();
}

class StyleWriter {
  #text = "";
  readonly #ranges: StyledRange[] = [];

  blocks(tokens: readonly Token[]): void {
    for (const [index, token] of tokens.entries()) {
      if (index > 0 && ownLines.has(token.type)) this.#line();
      this.#block(token);
    }
  }

  /** Without the blanks around it, and the ranges moved along. */
  trimmed(): StyledText {
    const text = this.#text.trim();
    const skipped = this.#text.length - this.#text.trimStart().length;
    const ranges = this.#ranges.flatMap(({ start, length, style }) => {
      const from = Math.max(0, start - skipped);
      const to = Math.min(text.length, start - skipped + length);
      return to > from ? [{ start: from, length: to - from, style }] : [];
    });
    return { text, ranges };
  }

  #block(token: Token): void {
    switch (token.type) {
      case "heading":
        this.#styled("BOLD", () => this.#inline((token as Tokens.Heading).tokens));
        this.#endLines(token.raw);
        break;
      case "paragraph":
        this.#inline((token as Tokens.Paragraph).tokens);
        break;
      case "code":
        this.#styled("MONOSPACE", () => (this.#text += (token as Tokens.Code).text));
        this.#endLines(token.raw);
        break;
      case "blockquote":
        this.#quote(token as Tokens.Blockquote);
        break;
      case "list":
        this.#list(token as Tokens.List);
        break;
      case "table":
        this.#table(token as Tokens.Table);
        break;
      case "hr":
        this.#text += "———";
        this.#endLines(token.raw);
        break;
      case "text":
        this.#inline((token as Tokens.Text).tokens ?? [token]);
        break;
      case "checkbox":
        this.#text += (token as Tokens.Checkbox).checked ? "[x] " : "[ ] ";
        break;
      default:
        this.#text += token.raw; // blank lines, and tags as they stand
    }
  }

  #inline(tokens: readonly Token[]): void {
    for (const token of tokens)
      switch (token.type) {
        case "strong":
          this.#styled("BOLD", () => this.#inline((token as Tokens.Strong).tokens));
          break;
        case "em":
          this.#styled("ITALIC", () => this.#inline((token as Tokens.Em).tokens));
          break;
        case "del":
          this.#styled("STRIKETHROUGH", () => this.#inline((token as Tokens.Del).tokens));
          break;
        case "codespan":
          this.#styled("MONOSPACE", () => (this.#text += (token as Tokens.Codespan).text));
          break;
        case "link":
          this.#link(token as Tokens.Link);
          break;
        case "image":
          this.#text += [token["text"], `(${String(token["href"])})`].filter(Boolean).join(" ");
          break;
        case "br":
          this.#text += "\n";
          break;
        case "text":
        case "escape":
          this.#text += (token as Tokens.Text).text;
          break;
        default:
          this.#text += token.raw;
      }
  }

  #link({ href, tokens }: Tokens.Link): void {
    const before = this.#text.length;
    this.#inline(tokens);
    const label = this.#text.slice(before);
    if (label !== href && `mailto:${label}` !== href) this.#text += ` (${href})`;
  }

  #list({ items, ordered, start, raw }: Tokens.List): void {
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#line();
      const marker = ordered ? `${Number(start || 1) + index}. ` : "- ";
      this.#text += marker;
      this.#indented(" ".repeat(marker.length), () => this.blocks(item.tokens));
    }
    this.#endLines(raw);
  }

  #quote({ tokens, raw }: Tokens.Blockquote): void {
    this.#text += "> ";
    this.#indented("> ", () => this.blocks(tokens));
    this.#endLines(raw);
  }

  #table({ header, rows, raw }: Tokens.Table): void {
    for (const [index, cells] of [header, ...rows].entries()) {
      if (index > 0) this.#line();
      for (const [column, cell] of cells.entries()) {
        if (column > 0) this.#text += " | ";
        this.#inline(cell.tokens);
      }
    }
    this.#endLines(raw);
  }

  /** Puts something before each line but the first of what is written, and moves its ranges along. */
  #indented(by: string, write: () => void): void {
    const [from, ranges] = [this.#text.length, this.#ranges.length];
    write();
    const inner = this.#text.slice(from).trimEnd();
    const moved = (place: number) => place + by.length * (inner.slice(0, place - from).split("\n").length - 1);
    for (const range of this.#ranges.slice(ranges)) {
      const end = moved(range.start + range.length);
      range.start = moved(range.start);
      range.length = end - range.start;
    }
    this.#text = this.#text.slice(0, from) + inner.replaceAll("\n", `\n${by}`);
  }

  #styled(style: TextStyle, write: () => void): void {
    const start = this.#text.length;
    write();
    const length = this.#text.length - start;
    if (length > 0) this.#ranges.push({ start, length, style });
  }

  #line(): void {
    if (!this.#text.endsWith("\n")) this.#text += "\n";
  }

  /** The blank lines with which a block ends, where they belong to it. */
  #endLines(raw: string): void {
    const body = raw.trimEnd();
    this.#text = this.#text.trimEnd() + "\n".repeat(raw.slice(body.length).split("\n").length - 1);
  }
}

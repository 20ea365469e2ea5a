/**
 * Conversion of an answer's Markdown into Slack's mrkdwn, in pieces that may stand in different messages. Pure. No text becomes a
 * mention or a command of Slack's: all of it is escaped, and the only `<…>` that is written is a link.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";

/** A paragraph, a list, a table; or a block of code, which may be cut between its lines. Both are escaped. */
export type Piece = { kind: "text" | "code"; text: string };

/** Characters of a text that is read as Markdown, and a line that opens 40 quotes or lists within each other: more takes seconds. */
const longestMarkdown = 100_000;
const nestedTooDeep = /^(?:[ \t]*>|[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]){40}/m;

/** A longer address isn't made a link: a link is never cut. */
const longestLink = 1500;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** The text as Slack shows it: nothing in it is a mention, a link or an entity. */
export const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);

export function mrkdwnOf(markdown: string): Piece[] {
  const plain: Piece[] = [{ kind: "text", text: escaped(markdown) }];
  if (markdown.length > longestMarkdown || nestedTooDeep.test(markdown)) return plain;
  try {
    return lexer(markdown).flatMap(piecesOf);
  } catch {
    return plain;
  }
}

function piecesOf(token: Token): Piece[] {
  const one = token as MarkedToken;
  if (one.type === "code") return [{ kind: "code", text: codeText(one.text) }];
  if (one.type === "table") return [{ kind: "code", text: codeText(tableText(one)) }];
  const text = blockText(one);
  return text.trim() === "" ? [] : [{ kind: "text", text }];
}

function blockText(token: MarkedToken): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "heading":
      return marked("*", inline(token.tokens, { isBold: true }));
    case "hr":
      return "———";
    case "list":
      return listText(token);
    case "blockquote":
      return blocks(token.tokens)
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    case "code":
      return `\`\`\`\n${codeText(token.text)}\n\`\`\``;
    case "table":
      return `\`\`\`\n${codeText(tableText(token))}\n\`\`\``;
    case "paragraph":
      return inline(token.tokens);
    case "text":
      return token.tokens ? inline(token.tokens) : escaped(token.text);
    default:
      return escaped(token.raw.trimEnd());
  }
}

const blocks = (tokens: readonly Token[], between = "\n\n"): string =>
  tokens
    .map((token) => blockText(token as MarkedToken))
    .filter((text) => text !== "")
    .join(between);

function listText({ items, ordered, start }: Tokens.List): string {
  const first = typeof start === "number" ? start : 1;
  return items
    .map((item, index) => {
      const mark = item.task ? (item.checked ? "☑" : "☐") : ordered ? `${first + index}.` : "•";
      const body = blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        "\n",
      );
      return `${mark} ${body.replaceAll("\n", "\n    ")}`;
    })
    .join("\n");
}

/** Columns one below the other: Slack has no tables. */
function tableText({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ text }) => text));
  const widths = header.map((_, column) =>
    Math.min(40, Math.max(...lines.map((cells) => (cells[column] ?? "").length))),
  );
  const lineOf = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(" | ")
      .trimEnd();
  const [head = [], ...rest] = lines;
  return [lineOf(head), widths.map((width) => "-".repeat(width)).join("-|-"), ...rest.map(lineOf)].join("\n");
}

/** Three backticks would end the block. */
const codeText = (text: string) => escaped(text.replaceAll("```", "`\u200B`\u200B`"));

type Style = { isBold?: boolean };

function inline(tokens: readonly Token[], style: Style = {}): string {
  return tokens.map((token) => inlineText(token as MarkedToken, style)).join("");
}

function inlineText(token: MarkedToken, style: Style): string {
  switch (token.type) {
    case "strong":
      return style.isBold ? inline(token.tokens, style) : marked("*", inline(token.tokens, { ...style, isBold: true }));
    case "em":
      return marked("_", inline(token.tokens, style));
    case "del":
      return marked("~", inline(token.tokens, style));
    case "codespan":
      return token.text.includes("`") ? escaped(token.text) : marked("`", escaped(token.text));
    case "br":
      return "\n";
    case "link":
      return linkText(token.href, plainText(token.tokens));
    case "image":
      return linkText(token.href, token.text);
    case "text":
      return token.tokens ? inline(token.tokens, style) : escaped(read(token.text));
    case "escape":
      return escaped(token.text);
    default:
      return escaped(token.raw);
  }
}

/** Marks around nothing would be shown. */
const marked = (mark: string, text: string) => (text.trim() === "" ? text : mark + text + mark);

/** The text without marks, for the words of a link. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return token.type === "text" ? read((token as Tokens.Text).text) : ((token as Tokens.Codespan).text ?? token.raw);
    })
    .join("");
}

/** Only what leads to a page or a mailbox is a link; anything else is its words, and where it would lead. */
function linkText(href: string, words: string): string {
  const label = words.replaceAll(/[|\n]/g, " ").trim();
  const url = escaped(href.replaceAll(/[<>|\s]/g, (sign) => encodeURIComponent(sign)));
  const isLink = /^(?:https?:\/\/|mailto:)/i.test(href) && url.length + label.length < longestLink;
  if (!isLink) return label === "" || label === href ? escaped(href) : `${escaped(label)} (${escaped(href)})`;
  return label === "" || label === href ? `<${url}>` : `<${url}|${escaped(label)}>`;
}

const known: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** Entities in Markdown are the signs that they stand for. */
const read = (text: string) => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => known[entity] ?? entity);

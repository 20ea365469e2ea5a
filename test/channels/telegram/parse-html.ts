/** Reads the HTML of a message as the Bot API does: known tags alone, each closed, in order. Throws the API's refusal. */

export type Entity = { tag: string; text: string; href?: string; language?: string };

const tags = new Set(["b", "i", "u", "s", "code", "pre", "blockquote", "a", "tg-spoiler"]);
const references: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };

export class EntitiesError extends Error {
  constructor(what: string) {
    super(`Bad Request: can't parse entities: ${what}`);
  }
}

export function parseHtml(html: string): { text: string; entities: Entity[] } {
  let text = "";
  const open: { tag: string; from: number; attributes: string }[] = [];
  const entities: Entity[] = [];
  for (const [token] of html.matchAll(/<[^>]*>|&[^;\s]*;?|[^<&]+|[<&]/g)) {
    if (token.startsWith("<")) {
      const [, slash = "", tag = "", attributes = ""] = /^<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)>$/.exec(token) ?? [];
      if (!tags.has(tag)) throw new EntitiesError(`Unsupported start tag "${tag}" in ${token}`);
      if (slash === "") {
        open.push({ tag, from: text.length, attributes });
        continue;
      }
      const begun = open.pop();
      if (begun?.tag !== tag) throw new EntitiesError(`Unmatched end tag ${token}, expected "</${begun?.tag}>"`);
      const href = /href="([^"]*)"/.exec(begun.attributes)?.[1];
      const language = /class="language-([^"]*)"/.exec(begun.attributes)?.[1];
      entities.push({
        tag,
        text: text.slice(begun.from),
        ...(href === undefined ? {} : { href: parseHtml(href).text }),
        ...(language === undefined ? {} : { language }),
      });
    } else if (token.startsWith("&")) {
      const sign = references[token.slice(1, -1)];
      if (sign === undefined || !token.endsWith(";")) throw new EntitiesError(`Unknown reference ${token}`);
      text += sign;
    } else {
      if (token.includes(">")) throw new EntitiesError("Unescaped >");
      text += token;
    }
  }
  const [left] = open;
  if (left) throw new EntitiesError(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities };
}

/** Mentions of agents in a message: `@slug` as a word of its own, in any case. Pure, in time that grows with the text. */
import { withoutCode } from "./without-code.ts";

export type Mention = {
  slug: string;
  /** `@coder …, then @reviewer`: the second begins on what the first one answers. */
  isAfterPrevious: boolean;
};

/** Links and addresses of the web, in which an @ is no mention. Bounded, so that each place is tried in few steps. */
const links =
  /!?\[[^\]\n]{0,120}\]\([^)\n]{0,400}\)|<[^<>\s]{1,400}[:@][^<>\s]{0,400}>|\b(?:[a-z][a-z0-9+.-]{0,20}:\/\/|mailto:|www\.)\S+/gi;

/** Not behind a letter, as in `me@coder`, and not before what makes it an address or the name of a package. */
const mention = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\p{L}\p{N}_/@-]|\.[\p{L}\p{N}])/giu;

const then = /\bthen[\s:,]*$/i;
/** How far before a mention its `then` is looked for, in characters. */
const thenWithin = 20;

/** Each agent once, in the order in which they are named. */
export function mentionsIn(text: string): Mention[] {
  const prose = withoutCode(text).replace(links, (link) => " ".repeat(link.length));
  const found = new Map<string, Mention>();
  for (const match of prose.matchAll(mention)) {
    const slug = match[1]?.toLowerCase() ?? "";
    const before = prose.slice(Math.max(0, match.index - thenWithin), match.index);
    if (!found.has(slug)) found.set(slug, { slug, isAfterPrevious: found.size > 0 && then.test(before) });
  }
  return [...found.values()];
}

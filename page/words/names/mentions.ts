/** Mentions while one writes and where they are read: `@slug` of an agent, `@handle` of a person. Pure. */

/** A name that can be mentioned. */
export type Mentionable = { slug: string; name: string; about: string; isAgent: boolean; avatar?: string | null };

const mostShown = 8;

/** The text before the caret, if a mention is being written there. */
const written = /(?:^|[^\p{L}\p{N}_@/.+-])@([a-z0-9-]{0,63})$/iu;

/** The beginning of the mention that is being written at the caret; null: none is. */
export function mentionAt(text: string, caret: number): string | null {
  return written.exec(text.slice(Math.max(0, caret - 80), caret))?.[1]?.toLowerCase() ?? null;
}

/** Lists those whom a beginning may mean: by what follows the @, then by a word of the name. */
export function mentionables(all: readonly Mentionable[], beginning: string): Mentionable[] {
  const bySlug = all.filter(({ slug }) => slug.startsWith(beginning));
  const byName = all.filter(
    (one) =>
      !bySlug.includes(one) &&
      one.name
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .some((word) => word.startsWith(beginning)),
  );
  return [...bySlug, ...byName].slice(0, mostShown);
}

/** The text with the mention completed, and where the caret is then. */
export function complete(text: string, caret: number, slug: string): { text: string; caret: number } {
  const beginning = mentionAt(text, caret) ?? "";
  const before = text.slice(0, caret - beginning.length);
  const after = text.slice(caret);
  const blank = after.startsWith(" ") ? "" : " ";
  return { text: `${before}${slug}${blank}${after}`, caret: before.length + slug.length + 1 };
}

const mention = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\p{L}\p{N}_/@-]|\.[\p{L}\p{N}])/giu;

/** A text in pieces: those that mention somebody who is known, and what is between them. */
export function mentionPieces(text: string, known: ReadonlySet<string>): { text: string; isMention: boolean }[] {
  const pieces: { text: string; isMention: boolean }[] = [];
  let done = 0;
  for (const match of text.matchAll(mention)) {
    if (!known.has(match[1]?.toLowerCase() ?? "")) continue;
    if (match.index > done) pieces.push({ text: text.slice(done, match.index), isMention: false });
    pieces.push({ text: match[0], isMention: true });
    done = match.index + match[0].length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isMention: false });
  return pieces;
}

/** `NF` of Nora Feldmann, `PR` of Priya; of an agent one letter. */
export function initials(name: string, isAgent: boolean): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "?", second] = words;
  if (isAgent) return letters(first, 1);
  return second === undefined ? letters(first, 2) : letters(first, 1) + letters(second, 1);
}

const letters = (word: string, count: number) => Array.from(word).slice(0, count).join("").toUpperCase();

/**
 * Search without an index, for texts that are few or change with each turn: a word counts where the index would find it, in
 * the same forms. English endings are told by rule rather than by the index's stemmer. Pure.
 */
import { askedWords, withoutParticle } from "./asked-words.ts";
import { hasLettersApart } from "./letters-apart.ts";
import { plainText } from "./plain-text.ts";
import { mark } from "./search-snippet.ts";

/** A folded word, and what its forms begin with. */
type Asked = { word: string; root: string };

/** Grades of a word in a text: not there, in another form or as a part of a longer word, as it was asked. */
const grade = { none: 0, other: 1, itself: 2 } as const;
type Grade = (typeof grade)[keyof typeof grade];

export type Matched = { grades: readonly Grade[] };

export type TextMatcher = {
  /** Grades each word in a text; null where it has none of them. */
  match(text: string): Matched | null;
  /** A text as it is shown, each line by itself, with marks around the words. */
  marked(text: string): string;
};

/** As of the index: from these lengths on a word also finds longer ones that begin with it, and those that it is a part of. */
const prefixLength = 4;
const partLength = 5;
/** In letters, as `lettersBefore` has it. */
const beforePart = 3;

/** Places of a word that are marked in a line. */
const mostMarked = 20;

/** Returns what finds the words of a question; null where it has none. */
export function matcherOf(query: string): TextMatcher | null {
  const words = askedWords(query)
    .map(folded)
    .map((word) => ({ word, root: rootOf(word) }));
  if (words.length === 0) return null;
  return {
    match(text) {
      const searched = folded(plainText(text));
      const grades = words.map((asked) => gradeOf(searched, asked));
      return grades.some((one) => one !== grade.none) ? { grades } : null;
    },
    marked: (text) =>
      text
        .split("\n")
        .map((line) => markedLine(plainText(line), words))
        .join("\n"),
  };
}

/** The best of several texts: those with more of the words first, then those with rarer ones, then the newest. */
export function bestMatches<Text extends Matched & { ts: number }>(
  texts: readonly Text[],
  { total, limit }: { total: number; limit: number },
): Text[] {
  const having = (texts[0]?.grades ?? []).map((_, word) => texts.filter(({ grades }) => grades[word] !== grade.none));
  const weights = having.map(({ length }) => Math.log(1 + total / Math.max(1, length)));
  const scored = texts.map((text) => {
    const count = text.grades.filter((one) => one !== grade.none).length;
    const score = text.grades.reduce<number>((sum, one, word) => sum + (one / grade.itself) * (weights[word] ?? 0), 0);
    return { text, count, score };
  });
  const sorted = scored.toSorted((a, b) => b.count - a.count || b.score - a.score || b.text.ts - a.text.ts);
  return sorted.slice(0, limit).map(({ text }) => text);
}

/** In lower case, without the marks of Latin, Greek and Cyrillic letters. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return hasMarks.test(lower) ? lower.normalize("NFD").replace(marks, "").normalize("NFC") : lower;
}

const marks = /[\u0300-\u036f]/g;
/** Letters that marks can stand on, or in. */
const hasMarks = /[\u0300-\u036f]|[\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]/;

function gradeOf(text: string, asked: Asked): Grade {
  let best: Grade = grade.none;
  for (const found of placesOf(text, asked)) {
    if (found.grade > best) best = found.grade;
    if (best === grade.itself) break;
  }
  return best;
}

type Place = { start: number; end: number; grade: Grade };

/** The places of a word in a folded text. */
function* placesOf(text: string, { word, root }: Asked): Generator<Place> {
  if (hasLettersApart(word)) {
    yield* places(text, word, grade.itself);
    const noun = withoutParticle(word);
    if (noun !== null) yield* places(text, noun, grade.other);
    return;
  }
  for (const { start } of places(text, root, grade.other)) {
    const isWhole = text.startsWith(word, start);
    const end = start + (isWhole ? word : root).length;
    const isBegin = !isWordBefore(text, start);
    if (isBegin && isWhole && !isWordAt(text, end)) yield { start, end, grade: grade.itself };
    else if (isBegin && word.length >= prefixLength) yield { start, end, grade: grade.other };
    else if (
      isWhole &&
      word.length >= partLength &&
      lettersBefore.test(text.slice(Math.max(0, start - beforePart), start))
    )
      yield { start, end, grade: grade.other };
  }
}

function* places(text: string, part: string, grade: Grade): Generator<Place> {
  for (let start = text.indexOf(part); start !== -1; start = text.indexOf(part, start + part.length))
    yield { start, end: start + part.length, grade };
}

const letterOrDigit = /[\p{L}\p{N}\p{M}]/u;
const lettersBefore = /^\p{L}{3}$/u;
const isWordAt = (text: string, at: number) => letterOrDigit.test(text.charAt(at));
const isWordBefore = (text: string, at: number) => at > 0 && isWordAt(text, at - 1);

/** Finds the root of an English word: mend of mending, cit of cities. Short words, and those of others, as they are. */
function rootOf(word: string): string {
  if (!/^[a-z]{4,64}$/.test(word)) return word;
  const single = word.replace(/(?:ies|(?<=s|x|z|ch|sh)es|s)$/, "");
  const root = single.replace(/y$|(?<=[a-z]{4})(?:e|ed|ing)$/, "").replace(/([b-df-hj-np-tv-z])\1$/, "$1");
  return root.length >= 3 && /[aeiouy]/.test(root) ? root : word;
}

/** Where folding has changed a line's length, its places are about where they stand. */
function markedLine(line: string, words: readonly Asked[]): string {
  const searched = folded(line);
  const scale = searched.length === line.length ? 1 : line.length / Math.max(1, searched.length);
  const found = words.flatMap((asked) => placesOf(searched, asked).take(mostMarked).toArray());
  let shown = "";
  let from = 0;
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    const [first, last] = [Math.round(start * scale), Math.round(end * scale)];
    if (first < from) continue;
    shown += `${line.slice(from, first)}${mark.open}${line.slice(first, last)}${mark.close}`;
    from = last;
  }
  return shown + line.slice(from);
}

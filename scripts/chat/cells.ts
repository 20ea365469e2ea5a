/** How many cells of a terminal a text takes, nearly enough: rows that are a little too long are cut by the terminal. */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/**
 * The characters that terminals show two cells wide: the scripts of East Asia, their punctuation and full-width forms,
 * and pictures.
 */
const wide =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}\uFE0F]/u;

type Cut = { text: string; isCut: boolean };

/** The begin of a text, as much as fits. */
export function headOf(text: string, cells: number): Cut {
  return fitting(splitted(text.slice(0, longest(cells))), cells, text.length);
}

/** The end of a text, as much as fits. */
export function tailOf(text: string, cells: number): Cut {
  const { text: reversed, isCut } = fitting(splitted(text.slice(-longest(cells))).toReversed(), cells, text.length);
  return { text: splitted(reversed).toReversed().join(""), isCut };
}

export const cellsOf = (text: string) => splitted(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0);

/** The first grapheme and the rest. */
export function firstOf(text: string): [string, string] {
  const [first = ""] = splitted(text.slice(0, longest(1)));
  return [first, text.slice(first.length)];
}

/** A line that fits; cut, it ends in `…`. */
export function cutTo(text: string, cells: number): string {
  const { text: head, isCut } = headOf(text, cells);
  return isCut ? `${headOf(text, cells - 1).text}…` : head;
}

function fitting(parts: string[], cells: number, length: number): Cut {
  let text = "";
  let left = cells;
  for (const part of parts) {
    left -= widthOf(part);
    if (left < 0) break;
    text += part;
  }
  return { text, isCut: text.length < length };
}

/** A family of four with skins and joiners has 25 code units: looking further than this is of no use. */
const longest = (cells: number) => Math.max(1, cells) * 32;
const splitted = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment);
const widthOf = (grapheme: string) => (wide.test(grapheme) ? 2 : 1);

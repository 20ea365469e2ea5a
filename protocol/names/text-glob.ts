/** Patterns of a whole text: `*` any text, `?` one character, `\` takes the next character as it is. Pure. */

/**
 * Whether a text fits a pattern as a whole. Behind a star the first place that fits is as good as any other, so no star is tried
 * again once the next one is reached: the time grows with the product of both lengths at most, which both have bounds.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const marks = marksOf(pattern);
  const chars = codePoints(text);
  let [at, mark, starAt, textAtStar] = [0, 0, -1, 0];
  while (at < chars.length) {
    const wanted = marks[mark];
    if (wanted === star) {
      starAt = mark++;
      textAtStar = at;
    } else if (mark < marks.length && (wanted === anyOne || wanted === chars[at])) {
      mark++;
      at++;
    } else if (starAt >= 0) {
      mark = starAt + 1;
      at = ++textAtStar;
    } else return false;
  }
  while (marks[mark] === star) mark++;
  return mark === marks.length;
}

/** A pattern that fits this text alone. */
export const globOf = (text: string) => text.replaceAll(/[\\*?]/g, "\\$&");

// Beside all characters.
const star = -1;
const anyOne = -2;

function marksOf(pattern: string): Int32Array {
  const chars = codePoints(pattern);
  const marks: number[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? 0;
    if (char === codeOf("\\") && at + 1 < chars.length) marks.push(chars[++at] ?? 0);
    else if (char === codeOf("?")) marks.push(anyOne);
    else if (char !== codeOf("*")) marks.push(char);
    else if (marks.at(-1) !== star) marks.push(star);
  }
  return Int32Array.from(marks);
}

const codePoints = (text: string) => Int32Array.from(Array.from(text, codeOf));

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

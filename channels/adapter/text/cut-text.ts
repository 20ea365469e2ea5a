/** A text in parts that a service takes: cut at a paragraph, else a line, else a word, never inside a character. Pure. */
import type { StyledText } from "./styled-text.ts";

/** Where a text may be cut, the best first. What is cut at goes with what stands before it. */
const boundaries = ["\n\n", "\n", " "];

/** @param max characters of a part, in UTF-16 units */
export function cutText({ text, ranges }: StyledText, max: number): StyledText[] {
  const parts: StyledText[] = [];
  let from = firstFrom(text, 0);
  while (from < text.length) {
    const end = endOfPart(text, from, max);
    const body = text.slice(from, end).trimEnd();
    parts.push({ text: body, ranges: rangesWithin(ranges, from, from + body.length) });
    from = firstFrom(text, end);
  }
  return parts;
}

function endOfPart(text: string, from: number, max: number): number {
  if (text.length - from <= max) return text.length;
  for (const boundary of boundaries) {
    // What is cut at isn't sent: it may stand behind the last character that fits.
    const at = text.lastIndexOf(boundary, from + max);
    // A cut far in front would leave a part with next to nothing.
    if (at > from + max / 4) return at + boundary.length;
  }
  const end = from + max;
  const isInsideCharacter = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[end] ?? "");
  return isInsideCharacter ? end - 1 : end;
}

/** The first place from there on that isn't an empty line: blanks at the begin of a line of code belong to it. */
function firstFrom(text: string, from: number): number {
  let at = from;
  while (text[at] === "\n") at++;
  return at;
}

function rangesWithin(ranges: StyledText["ranges"], from: number, to: number): StyledText["ranges"] {
  return ranges.flatMap(({ start, length, style }) => {
    const [first, end] = [Math.max(start, from), Math.min(start + length, to)];
    return end > first ? [{ start: first - from, length: end - first, style }] : [];
  });
}

/**
 * A text in parts that Telegram takes: cut at a paragraph, else a line, else a word, never inside a character. A block of code
 * that is cut is closed, and opened again in the next part. Pure.
 */

/** From the Bot API: 4096 characters. Counted as UTF-16 has them, which is never less. */
export const maxPart = 4096;

/** Where a text may be cut, the best first. What is cut at goes with what stands before it. */
const boundaries = ["\n\n", "\n", " "];

export function splitText(text: string, max = maxPart): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  /** The line that opened the block of code in which we are. */
  let fence = "";
  while (rest !== "") {
    const head = fence === "" ? "" : `${fence}\n`;
    const room = max - head.length;
    if (rest.length <= room) {
      parts.push(head + rest);
      break;
    }
    let cut = cutAt(rest, room);
    let open = fenceAfter(rest.slice(0, cut), fence);
    if (open !== "") {
      // Room for the line that closes it.
      cut = cutAt(rest, room - closing(open).length);
      open = fenceAfter(rest.slice(0, cut), fence);
    }
    const body = rest.slice(0, cut).trimEnd();
    parts.push(head + body + (open === "" ? "" : closing(open)));
    // Spaces at the begin of a line of code belong to it.
    rest = open === "" ? rest.slice(cut).trimStart() : rest.slice(cut).replace(/^\n+/, "");
    fence = open;
  }
  return parts;
}

/** How many characters go into a part. */
function cutAt(text: string, room: number): number {
  for (const boundary of boundaries) {
    const at = text.lastIndexOf(boundary, room - boundary.length);
    // A cut far in front would leave a part with next to nothing.
    if (at > room / 4) return at + boundary.length;
  }
  const isInsideCharacter = /[\uD800-\uDBFF]/.test(text[room - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[room] ?? "");
  return isInsideCharacter ? room - 1 : room;
}

/** The longest that the line may be with which a block is opened again: a longer one is not a language. */
const maxInfo = 40;

/** The line that opened the block in which a text ends, or "". */
function fenceAfter(text: string, fence: string): string {
  let open = fence;
  for (const line of text.split("\n")) {
    const [, marks = "", info = ""] = /^ {0,3}(`{3,20}|~{3,20})(.*)$/s.exec(line) ?? [];
    if (marks === "") continue;
    if (open === "") open = marks + info.slice(0, maxInfo).trimEnd();
    else if (line.trim() === marks && marks.startsWith(marksOf(open))) open = "";
  }
  return open;
}

const marksOf = (fence: string) => /^(`+|~+)/.exec(fence)?.[0] ?? "";

const closing = (fence: string) => `\n${marksOf(fence)}`;

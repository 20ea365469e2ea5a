/** Passages of the journal in what the tools returned: `path:line: text`, one a line, whoever the server is. Pure. */

export type Passage = { path: string; line: number; text: string };

const maxTextLength = 500;

/** The passages of a result of `search_journal` or `get_events`. Other lines of it are notes. */
export function passagesIn(result: string): Passage[] {
  return result.split("\n").flatMap((row) => {
    const [, path, line, text] = /^(\S[^:\n]*):(\d+): ?(.*)$/.exec(row) ?? [];
    return path !== undefined && text?.trim() ? [{ path, line: Number(line), text: tidy(text) }] : [];
  });
}

/** The passage that begins in the first of some lines: up to the end of its paragraph, a heading with what it is above. */
export function paragraphOf(lines: string): string {
  const rows = lines.split("\n");
  const first = rows[0] ?? "";
  const body = /^#+ /.test(first) ? rows.slice(1) : rows;
  const start = body.findIndex((row) => row.trim() !== "");
  if (start < 0) return tidy(first);
  const end = body.findIndex((row, at) => at > start && (row.trim() === "" || /^(#+ |[-*] |\d+\. )/.test(row)));
  const paragraph = tidy(body.slice(start, end < 0 ? undefined : end).join(" "));
  return body === rows ? paragraph : `${tidy(first)}: ${paragraph}`;
}

/** One line, without the marks of Markdown or JSON around what it says, of bounded length. */
function tidy(text: string): string {
  const [line = ""] = recordText(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:#+|[-*]|\d+\.|>) +/, "")
    .replace(/^\[[ x-]\] /, "")
    // Where a search has joined several items of a list, the found one is the first.
    .split(/ - \[[ x-]\] /);
  return line.length > maxTextLength ? `${line.slice(0, line.lastIndexOf(" ", maxTextLength))} …` : line;
}

/** A JSON record in words, also where only a part of it is there; other text as it is. */
function recordText(text: string): string {
  if (!/^\s*[{"]/.test(text)) return text;
  const fields = text.matchAll(/"(?:title|name|start|end|summary|description|text)" ?: ?"([^"\\]{0,1000})"/g);
  return [...fields].map(([, value]) => value).join(" · ") || text;
}

/** Number of the words that a text has, each also as the beginning of a longer one. */
export function wordsIn(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word)).length;
}

/** A Markdown text with its code left out: blanks stand in its place, so that positions stay. Pure, in time that grows with the text. */

const fence = /^ {0,3}(`{3,}|~{3,})/;

export function withoutCode(text: string): string {
  return withoutSpans(withoutFences(text));
}

/** A fenced block goes to its end, or the text's. */
function withoutFences(text: string): string {
  let open: string | null = null;
  const lines = text.split("\n").map((line) => {
    const marker = fence.exec(line)?.[1];
    const isOutside = open === null;
    if (open === null) open = marker ?? null;
    else if (marker?.startsWith(open) && line.trim() === marker) open = null;
    return isOutside && marker === undefined ? line : blank(line);
  });
  return lines.join("\n");
}

/** A span goes from some backticks to the next run of as many. Without one, they are text. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ from: index, to: index + run.length }));
  const nextOfLength = new Map<number, number>();
  const ends: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index--) {
    const { from, to } = runs[index] ?? { from: 0, to: 0 };
    ends[index] = nextOfLength.get(to - from);
    nextOfLength.set(to - from, index);
  }
  const kept: string[] = [];
  let done = 0;
  for (let index = 0; index < runs.length; index++) {
    const [run, end] = [runs[index], ends[index]];
    const closing = end === undefined ? undefined : runs[end];
    if (!run || !closing || end === undefined) continue;
    kept.push(text.slice(done, run.from), blank(text.slice(run.from, closing.to)));
    [done, index] = [closing.to, end];
  }
  return kept.join("") + text.slice(done);
}

const blank = (text: string) => " ".repeat(text.length);

/** A unified diff as git writes it becomes files, parts and lines. Pure. */

export type PatchLine = {
  kind: "same" | "added" | "removed" | "note";
  /** Its number before, and after: null where it isn't there. */
  old: number | null;
  fresh: number | null;
  text: string;
};

export type PatchPart = {
  /** The heading by which git names it: the function or heading that it stands in. */
  heading: string;
  lines: PatchLine[];
};

export type PatchFile = { path: string; parts: PatchPart[]; lineCount: number };

/** By path after the change. A file that became a link stands there once, with all its parts. */
export function filesOf(patch: string): Map<string, PatchFile> {
  const files = new Map<string, PatchFile>();
  for (const section of patch.split(/^(?=diff --git )/m)) {
    if (!section.startsWith("diff --git ")) continue;
    const lines = section.replace(/\n$/, "").split("\n");
    const parts = partsOf(lines);
    const path = pathOf(lines);
    const known = files.get(path) ?? { path, parts: [], lineCount: 0 };
    known.parts.push(...parts);
    known.lineCount += parts.reduce((sum, part) => sum + part.lines.length, 0);
    files.set(path, known);
  }
  return files;
}

/** The header has both names: equal but for a rename, which tells them again. */
function pathOf(lines: readonly string[]): string {
  const renamed = lines.find((line) => line.startsWith("rename to "));
  if (renamed !== undefined) return unquoted(renamed.slice("rename to ".length));
  const names = (lines[0] ?? "").slice("diff --git ".length);
  return unquoted(names.slice((names.length + 1) / 2)).replace(/^b\//, "");
}

const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** `"b/gr\303\274n"`, as git writes names with unusual signs. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  for (const [piece, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(piece));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function partsOf(lines: readonly string[]): PatchPart[] {
  const parts: PatchPart[] = [];
  let [old, fresh] = [0, 0];
  for (const line of lines) {
    const part = parts.at(-1);
    const head = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@ ?(.*)$/s.exec(line);
    if (head) {
      [old, fresh] = [Number(head[1]), Number(head[2])];
      parts.push({ heading: head[3] ?? "", lines: [] });
    } else if (part && line.startsWith("+"))
      part.lines.push({ kind: "added", old: null, fresh: fresh++, text: line.slice(1) });
    else if (part && line.startsWith("-"))
      part.lines.push({ kind: "removed", old: old++, fresh: null, text: line.slice(1) });
    else if (part && line.startsWith(" "))
      part.lines.push({ kind: "same", old: old++, fresh: fresh++, text: line.slice(1) });
    else if (part && line.startsWith("\\"))
      part.lines.push({ kind: "note", old: null, fresh: null, text: "no end of line" });
  }
  return parts;
}
